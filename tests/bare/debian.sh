# What scripts share that make Debian systems by debootstrap and enter them; sourced. Sets `spaces`,
# `mirror` and `proxy` by debian_find, which ends with 77 and one line where such a system cannot be
# made.
# shellcheck source=tests/bare/packages.sh
. "$(dirname "${BASH_SOURCE[0]}")/packages.sh"

skip() {
	echo "skipped: $*"
	exit 77
}

room() { df --output=avail -k "$1" | tail -n 1; }

# debian_find WHAT: checks that this machine can make such a system, WHAT in the message.
debian_find() {
	local tool
	[ "$(id -u)" = 0 ] || skip "$1 is made by root"
	PATH=$PATH:/usr/sbin:/sbin
	for tool in debootstrap unshare chroot wget git python3; do
		command -v $tool >/dev/null || skip "$1 needs $tool"
	done
	spaces=(--mount)
	unshare --mount --pid --fork true 2>/dev/null && spaces=(--mount --pid --fork --kill-child)
	unshare "${spaces[@]}" true 2>/dev/null ||
		skip "$1 needs a mount namespace, which this machine refuses"
	find_mirror
}

# debian_answers SUITE
debian_answers() {
	wget -q -T 20 -t 2 -O /dev/null "$mirror/dists/$1/Release" ||
		skip "no answer from Debian's mirror $mirror"
}

# debian_settle SYSTEM: what a machine has beside its packages: names, the way to the mirror. Its
# packages are easily loaded again, so dpkg need not wait for the disk.
debian_settle() {
	cp -L /etc/resolv.conf "$1/etc/resolv.conf"
	echo "127.0.0.1 localhost $(uname -n)" >"$1/etc/hosts"
	echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/thrown-away"
	[ -z "$proxy" ] || echo "Acquire::http::Proxy \"$proxy\";" >"$1/etc/apt/apt.conf.d/proxy"
}
