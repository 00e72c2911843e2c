dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl QS_JSON_C: json-c is needed by the policy reader and by qshare.
dnl QS_CHECK: Check is needed by the unit tests only. Without it everything
dnl builds, and `make check` fails with the sentence that says what to install:
dnl a check that ran nothing must not look like one that passed.

AC_DEFUN([QS_JSON_C], [
	PKG_CHECK_MODULES([JSON_C], [json-c >= 0.13], [],
		[AC_MSG_ERROR([json-c 0.13 or later was not found: install it (Debian: apt-get install libjson-c-dev) and run configure again])])
])

AC_DEFUN([QS_CHECK], [
	PKG_CHECK_MODULES([CHECK], [check >= 0.12], [qs_have_check=yes],
		[qs_have_check="no (Debian: apt-get install check)"])
	AM_CONDITIONAL([HAVE_CHECK], [test "$qs_have_check" = yes])
])
