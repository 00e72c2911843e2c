dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl QS_WARNINGS: the project's warnings, those the compiler knows, in
dnl QS_WARNFLAGS; --enable-werror makes them errors. It is off by default so
dnl that a later compiler's new warning never breaks a site's build.
dnl QS_SANITIZE: --enable-sanitize puts ASan and UBSan into everything but the
dnl SPANK plugin, in QS_SANFLAGS. For tests only: slurmctld loads such plugins
dnl if the sanitizers' run-time library was loaded before (LD_PRELOAD).

AC_DEFUN([QS_TRY_FLAG], [
	AC_MSG_CHECKING([whether $CC takes $1])
	qs_save_cflags=$CFLAGS
	CFLAGS="$CFLAGS -Werror $1"
	AC_LINK_IFELSE([AC_LANG_PROGRAM()],
		[AC_MSG_RESULT([yes])
		 $2="$$2 $1"],
		[AC_MSG_RESULT([no])
		 $3])
	CFLAGS=$qs_save_cflags
])

AC_DEFUN([QS_WARNINGS], [
	AC_ARG_ENABLE([werror],
		[AS_HELP_STRING([--enable-werror],
			[make compiler warnings errors (default: no)])],
		[], [enable_werror=no])
	QS_WARNFLAGS=
	QS_TRY_FLAG([-Wall], [QS_WARNFLAGS])
	QS_TRY_FLAG([-Wextra], [QS_WARNFLAGS])
	QS_TRY_FLAG([-Wshadow], [QS_WARNFLAGS])
	QS_TRY_FLAG([-Wstrict-prototypes], [QS_WARNFLAGS])
	QS_TRY_FLAG([-Wmissing-prototypes], [QS_WARNFLAGS])
	QS_TRY_FLAG([-Wformat=2], [QS_WARNFLAGS])
	AS_IF([test "$enable_werror" = yes],
		[QS_WARNFLAGS="$QS_WARNFLAGS -Werror"])
	AC_SUBST([QS_WARNFLAGS])
])

AC_DEFUN([QS_SANITIZE], [
	AC_ARG_ENABLE([sanitize],
		[AS_HELP_STRING([--enable-sanitize],
			[for tests: build with AddressSanitizer and UBSan;
			 slurmctld then needs LD_PRELOAD=libasan.so
			 (default: no)])],
		[], [enable_sanitize=no])
	QS_SANFLAGS=
	AS_IF([test "$enable_sanitize" = yes], [
		QS_TRY_FLAG([-fsanitize=address,undefined], [QS_SANFLAGS],
			[AC_MSG_ERROR([$CC has no address and undefined sanitizer: install its run-time library (Debian: libgcc-12-dev for gcc, libclang-rt-14-dev for clang)])])
		QS_SANFLAGS="$QS_SANFLAGS -fno-sanitize-recover=all"
		QS_SANFLAGS="$QS_SANFLAGS -fno-omit-frame-pointer"
	])
	AC_SUBST([QS_SANFLAGS])
	AM_CONDITIONAL([SANITIZE], [test "$enable_sanitize" = yes])
])

dnl QS_TOOLS: tools that only a developer's targets use.
AC_DEFUN([QS_TOOLS], [
	AC_PATH_PROGS([CLANG_FORMAT], [clang-format-14 clang-format])
])
