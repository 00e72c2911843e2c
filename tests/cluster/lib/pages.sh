# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# The examples of README.md, the manual pages and the helps, as a reader sees
# them, to be run by tests.

# pages_read PAGE: a page's examples, one a line: the command, a tab, and the
# output that the page shows with its line ends as \1. A line that begins with
# "$ " is a command. In README.md also each line of a block that names a program
# of ours or sbatch; an option alone is one of the sbatch before it.
pages_read()
{
	case $1 in
	*.md) cat "$1" ;;
	*) pages_man "$1" ;;
	esac | awk -v md="$(pages_is_md "$1")" '
		function flush()
		{
			if (cmd != "")
				print cmd "\t" out
			cmd = out = ""
		}
		function command(text)
		{
			flush()
			sub(/ +# .*/, "", text)
			cmd = text
		}
		/^```/ {
			flush()
			inside = !inside
			session = last = ""
			next
		}
		!inside { next }
		/^\$ / {
			session = 1
			command(substr($0, 3))
			next
		}
		session && out == "" && cmd ~ /\\$/ {
			cmd = substr(cmd, 1, length(cmd) - 1) $0
			next
		}
		session {
			out = out $0 "\1"
			next
		}
		md && /^(sbatch|qshare|contrib\/|\.\/|make)/ {
			command($0)
			last = $1 == "sbatch" ? cmd : ""
			next
		}
		md && last != "" && /^ +--/ {
			sub(/^ +/, "")
			option = $1
			command(last)
			sub(/ [^ ]*$/, " " option "&", cmd)
			next
		}
		END { flush() }'
}

pages_is_md()
{
	[[ $1 != *.md ]] || echo 1
}

# A manual page with its escapes undone and blocks as they are as fences.
pages_man()
{
	sed -e '/^\.\\"/d' -e '/^\.RS/d' -e '/^\.RE/d' \
		-e 's/^\.\(nf\|fi\|EX\|EE\).*/```/' \
		-e 's/\\-/-/g' -e 's/\\e/\\/g' -e 's/\\\\/\\/g' "$1"
}

# pages_script PAGE FIRST-LINE: the block that begins so.
pages_script()
{
	case $1 in
	*.md) cat "$1" ;;
	*) pages_man "$1" ;;
	esac | awk -v first="$2" '
		/^```/ { inside = !inside; at = 0; hit = 0; next }
		inside && !at++ { hit = index($0, first) == 1 }
		inside && hit { print }'
}

# page_says WHAT COMMAND OUTPUT: it prints what the page shows, wherever that
# breaks lines. OUTPUT "" is not compared; then it must succeed.
page_says()
{
	local got code

	got=$(cluster_cmd bash -c "$2" 2>&1 </dev/null)
	code=$?
	if [ -z "$3" ]; then
		if [ $code = 0 ]; then
			ok "$1"
		else
			not_ok "$1" "status $code: $2" "$got"
		fi
	else
		check_eq "$1" "$(xargs -d '\n' <<<"$got" | tr -s ' ')" \
			"$(tr '\1' '\n' <<<"${3%$'\1'}" | xargs -d '\n' |
				tr -s ' ')"
	fi
}
