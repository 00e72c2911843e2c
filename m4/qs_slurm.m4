dnl SPDX-License-Identifier: GPL-2.0-or-later
dnl
dnl QS_SLURM: are there Slurm headers to build the plugins from, and are they
dnl those of the slurmctld that will load them?
dnl
dnl Slurm's plugins use its internal structs, which no package ships and which
dnl change between micro releases. A plugin built from 26.05.4 and stamped
dnl 26.05.5 is loaded, and crashes slurmctld at its first look at a job. So the
dnl version must match to the micro number, in all three places that tell it:
dnl META, the generated slurm/slurm_version.h, and slurmctld -V.
dnl
dnl Sets SLURM_SOURCE (empty without plugins), SLURM_VERSION, SLURM_PLUGIN_DIR,
dnl SLURM_CPPFLAGS, SLURM_LIBS, SLURM_FULL_LIBS and the conditionals HAVE_SLURM
dnl and HAVE_SLURM_FULL.

AC_DEFUN([QS_SLURM], [
	AC_ARG_WITH([slurm-source],
		[AS_HELP_STRING([--with-slurm-source=DIR],
			[build the plugins with the headers of this Slurm
			 source tree, on which Slurm's own configure was run])],
		[], [with_slurm_source=no])
	AC_ARG_WITH([slurm-version],
		[AS_HELP_STRING([--with-slurm-version=X.YY.Z],
			[the version of the slurmctld that will load the
			 plugins, for a build on another machine
			 (default: ask slurmctld -V)])],
		[], [with_slurm_version=])
	AC_ARG_WITH([slurm-plugin-dir],
		[AS_HELP_STRING([--with-slurm-plugin-dir=DIR],
			[install the plugins here (default: the folder of
			 the installed Slurm's plugins)])],
		[], [with_slurm_plugin_dir=])

	SLURM_SOURCE=
	SLURM_VERSION=
	SLURM_PLUGIN_DIR=
	SLURM_CPPFLAGS=
	SLURM_LIBS=
	SLURM_FULL_LIBS=
	qs_slurm_summary="no (--with-slurm-source=DIR adds them)"
	AS_CASE([$with_slurm_source],
		[no], [],
		[yes], [AC_MSG_ERROR([--with-slurm-source needs a folder: run contrib/slurm-source, which fetches and configures the right source and prints its folder])],
		[QS_SLURM_TREE
		 QS_SLURM_INSTALLED
		 QS_SLURM_HEADERS
		 QS_SLURM_PLUGIN_DIR
		 QS_SLURM_API
		 QS_SLURM_FULL
		 qs_slurm_summary="for Slurm $SLURM_VERSION, headers from $SLURM_SOURCE"])
	AC_SUBST([SLURM_SOURCE])
	AC_SUBST([SLURM_VERSION])
	AC_SUBST([SLURM_PLUGIN_DIR])
	AC_SUBST([SLURM_CPPFLAGS])
	AC_SUBST([SLURM_LIBS])
	AC_SUBST([SLURM_FULL_LIBS])
	AM_CONDITIONAL([HAVE_SLURM], [test -n "$SLURM_SOURCE"])
	AM_CONDITIONAL([HAVE_SLURM_FULL], [test -n "$SLURM_FULL_LIBS"])
	AS_IF([test -n "$SLURM_SOURCE"],
		[AC_DEFINE([QS_HAVE_SLURM], [1],
			[The online half of qshare is built, with libslurm.])])
])

dnl The tree must be Slurm's, must have been configured, and must have been
dnl configured as the version that it is.
AC_DEFUN([QS_SLURM_TREE], [
	AC_MSG_CHECKING([for Slurm's source])
	SLURM_SOURCE=$(cd "$with_slurm_source" 2>/dev/null && pwd)
	AS_IF([test -z "$SLURM_SOURCE"],
		[AC_MSG_ERROR([--with-slurm-source=$with_slurm_source is no folder: run contrib/slurm-source, which fetches and configures the right source and prints its folder])])
	AS_IF([test ! -f "$SLURM_SOURCE/META" ||
	       test ! -f "$SLURM_SOURCE/src/slurmctld/slurmctld.h"],
		[AC_MSG_ERROR([$SLURM_SOURCE is no Slurm source tree (META or src/slurmctld/slurmctld.h is missing): run contrib/slurm-source, which fetches and configures the right source and prints its folder])])
	AS_IF([test ! -f "$SLURM_SOURCE/config.h" ||
	       test ! -f "$SLURM_SOURCE/slurm/slurm_version.h"],
		[AC_MSG_ERROR([Slurm's source in $SLURM_SOURCE has not been configured (config.h or slurm/slurm_version.h is missing): run (cd $SLURM_SOURCE && ./configure --sysconfdir=/etc/slurm --enable-multiple-slurmd --disable-debug), no make is needed])])
	SLURM_VERSION=$(sed -n \
		's/^@<:@@<:@:space:@:>@@:>@*Version:@<:@@<:@:space:@:>@@:>@*//p' \
		"$SLURM_SOURCE/META")
	qs_number=$(sed -n \
		's/^#define SLURM_VERSION_NUMBER \(0x@<:@0-9a-fA-F@:>@*\).*/\1/p' \
		"$SLURM_SOURCE/slurm/slurm_version.h")
	AS_IF([test -n "$qs_number"],
		[qs_header_version=$(printf '%d.%02d.%d' \
			$((qs_number >> 16)) $((qs_number >> 8 & 255)) \
			$((qs_number & 255)))],
		[qs_header_version="no version"])
	AC_MSG_RESULT([$SLURM_VERSION in $SLURM_SOURCE])
	AS_IF([test "$SLURM_VERSION" != "$qs_header_version"],
		[AC_MSG_ERROR([Slurm's source in $SLURM_SOURCE says $SLURM_VERSION in META but $qs_header_version in slurm/slurm_version.h: run (cd $SLURM_SOURCE && ./configure --sysconfdir=/etc/slurm --enable-multiple-slurmd --disable-debug) again])])
])

AC_DEFUN([QS_SLURM_INSTALLED], [
	AC_PATH_PROG([SLURMCTLD], [slurmctld], [],
		[$PATH$PATH_SEPARATOR/usr/sbin$PATH_SEPARATOR/usr/local/sbin$PATH_SEPARATOR/opt/slurm/sbin])
	AC_MSG_CHECKING([for the version of the slurmctld that will load the plugins])
	AS_IF([test -n "$with_slurm_version"],
		[qs_installed=$with_slurm_version
		 qs_installed_where=--with-slurm-version],
		[test -n "$SLURMCTLD"],
		[qs_installed=$("$SLURMCTLD" -V 2>/dev/null </dev/null |
			sed -n 's/^.* \(@<:@0-9@:>@@<:@0-9.@:>@*\).*$/\1/p')
		 qs_installed_where=$SLURMCTLD],
		[qs_installed=])
	AS_IF([test -z "$qs_installed"],
		[AC_MSG_ERROR([no slurmctld tells its version here: install it (Debian: apt-get install slurmctld), or say which one will load the plugins with --with-slurm-version=$SLURM_VERSION])])
	AC_MSG_RESULT([$qs_installed ($qs_installed_where)])
	AS_IF([test "$qs_installed" != "$SLURM_VERSION"],
		[AC_MSG_ERROR([Slurm's source in $SLURM_SOURCE is $SLURM_VERSION, but $qs_installed_where is $qs_installed, and they must be equal to the last number: run contrib/slurm-source $qs_installed, which fetches and configures that source and prints its folder])])
])

dnl -isystem, not -I: Slurm's headers are not held to our warnings.
AC_DEFUN([QS_SLURM_HEADERS], [
	SLURM_CPPFLAGS="-isystem $SLURM_SOURCE"
	AC_MSG_CHECKING([whether Slurm's internal headers compile])
	qs_save_cppflags=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
	AC_COMPILE_IFELSE([AC_LANG_SOURCE([[
#undef PACKAGE_BUGREPORT
#undef PACKAGE_NAME
#undef PACKAGE_STRING
#undef PACKAGE_TARNAME
#undef PACKAGE_URL
#undef PACKAGE_VERSION
#include "slurm/slurm_version.h"
#include "src/common/slurm_xlator.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/locks.h"
job_record_t *qs_probe;
]])],
		[AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])
		 AC_MSG_ERROR([Slurm's headers in $SLURM_SOURCE do not compile: see config.log for the first error])])
	CPPFLAGS=$qs_save_cppflags
])

dnl Where the installed Slurm keeps its plugins: every Slurm has select/linear
dnl or select/cons_tres, so the folder that holds the latter is the one.
AC_DEFUN([QS_SLURM_PLUGIN_DIR], [
	AC_MSG_CHECKING([for Slurm's plugin folder])
	SLURM_PLUGIN_DIR=$with_slurm_plugin_dir
	AS_IF([test -z "$SLURM_PLUGIN_DIR"], [
		qs_prefix=$(AS_DIRNAME(["$(AS_DIRNAME(["${SLURMCTLD:-/usr/sbin/x}"]))"]))
		for qs_dir in "$qs_prefix"/lib/*/slurm-wlm \
			"$qs_prefix"/lib*/slurm "$qs_prefix"/lib/*/slurm \
			/usr/lib/*/slurm-wlm /usr/lib*/slurm
		do
			AS_IF([test -f "$qs_dir/select_cons_tres.so"],
				[SLURM_PLUGIN_DIR=$qs_dir
				 break])
		done
	])
	AS_IF([test -z "$SLURM_PLUGIN_DIR"],
		[AC_MSG_ERROR([Slurm's plugin folder was not found: give it with --with-slurm-plugin-dir=DIR (scontrol show config names it as PluginDir)])])
	AC_MSG_RESULT([$SLURM_PLUGIN_DIR])
])

dnl qshare asks slurmctld through libslurm, the public API.
AC_DEFUN([QS_SLURM_API], [
	qs_save_libs=$LIBS
	AC_CHECK_LIB([slurm], [slurm_load_burst_buffer_stat],
		[SLURM_LIBS=-lslurm],
		[AC_MSG_ERROR([libslurm was not found: install it (Debian: apt-get install libslurm-dev) and run configure again])])
	LIBS=$qs_save_libs
])

dnl The simulated slurmds of the tests speak slurmd's protocol with the library
dnl that slurmd uses. Without it, or where its calls are others, they are left
dnl out and the tests that need them are skipped.
AC_DEFUN([QS_SLURM_FULL], [
	AC_MSG_CHECKING([whether simulated slurmds can be built])
	qs_full="$SLURM_PLUGIN_DIR/libslurmfull.so"
	qs_save_libs=$LIBS
	qs_save_cppflags=$CPPFLAGS
	CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
	LIBS="$LIBS $qs_full -Wl,-rpath,$SLURM_PLUGIN_DIR"
	AC_LINK_IFELSE([AC_LANG_SOURCE([[
#undef PACKAGE_BUGREPORT
#undef PACKAGE_NAME
#undef PACKAGE_STRING
#undef PACKAGE_TARNAME
#undef PACKAGE_URL
#undef PACKAGE_VERSION
#include "slurm/slurm_version.h"
#include "src/common/slurm_xlator.h"
#include "src/common/slurm_protocol_api.h"
int qs_rc, (*qs_receive)(int, slurm_msg_t *, int) = slurm_receive_msg;
int (*qs_tell)(slurm_msg_t *, int *, slurmdb_cluster_rec_t *) =
	slurm_send_recv_controller_rc_msg;
int main(void)
{
	slurm_msg_t msg;
	slurm_msg_t_init(&msg);
	msg.conn_fd = 0;
	return qs_receive(0, &msg, 0) + qs_tell(&msg, &qs_rc, NULL);
}
]])],
		[SLURM_FULL_LIBS="$qs_full -Wl,-rpath,$SLURM_PLUGIN_DIR"
		 AC_MSG_RESULT([yes])],
		[AC_MSG_RESULT([no])])
	LIBS=$qs_save_libs
	CPPFLAGS=$qs_save_cppflags
])
