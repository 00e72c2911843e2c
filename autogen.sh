#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes configure from configure.ac. Needed once after a clone; a release tar
# file has configure in it already.
set -e
cd "$(dirname "$0")"
for tool in autoreconf automake libtoolize pkg-config; do
	command -v "$tool" >/dev/null 2>&1 || {
		echo "autogen.sh: $tool was not found: install it" \
			"(Debian: apt-get install autoconf automake" \
			"libtool pkg-config)" >&2
		exit 1
	}
done
exec autoreconf --force --install
