//! Namespaces that lines have one after another, and never together.

use std::time::Instant;

use super::*;

fn network_of_this_process() -> String {
    std::fs::read_link("/proc/self/ns/net").unwrap().display().to_string()
}

/// Until as many wait for a line as are to: the first process of a line may take a moment longer than its answer.
fn wait_for(sandbox: &Sandbox, namespaces: usize) {
    let start = Instant::now();
    while sandbox.namespaces.count() != namespaces {
        assert!(start.elapsed() < Duration::from_secs(10), "{} wait, and not {namespaces}", sandbox.namespaces.count());
        std::thread::yield_now();
    }
}

#[test]
fn trust_net_a_network_is_given_again_when_nobody_is_left_in_it() {
    let (house, sandbox) = (House::new(), Sandbox::new(&[]).unwrap());
    let network = || text(&ran(&sandbox, house.plan("readlink /proc/self/ns/net")));
    let first = network();
    wait_for(&sandbox, 1);
    assert_eq!(network(), first);
    wait_for(&sandbox, 1);
    assert!(first.starts_with("net:["), "{first}");
    assert_ne!(first.trim(), network_of_this_process());
    let granted = ran(&sandbox, Plan { network: true, ..house.plan("readlink /proc/self/ns/net") });
    assert_eq!(text(&granted).trim(), network_of_this_process());
}

#[test]
fn trust_net_lines_at_once_have_users_and_networks_of_their_own() {
    let (house, sandbox) = (House::new(), Sandbox::new(&[]).unwrap());
    let told = |name: &str, other: &str| {
        let script = format!(
            "readlink /proc/self/ns/net /proc/self/ns/user; : > {name}; until [ -e {other} ]; do sleep 0.01; done"
        );
        text(&ran(&sandbox, house.plan(&script)))
    };
    let (a, b) = std::thread::scope(|scope| {
        let a = scope.spawn(|| told("a", "b"));
        (told("b", "a"), a.join().unwrap())
    });
    for (a, b) in a.lines().zip(b.lines()) {
        assert_ne!(a, b);
    }
    assert_eq!((a.lines().count(), b.lines().count()), (2, 2), "{a}{b}");
    wait_for(&sandbox, 2);
}

#[test]
fn trust_net_a_line_that_had_to_be_killed_leaves_its_network_to_nobody() {
    let (house, sandbox) = (House::new(), Sandbox::new(&[]).unwrap());
    let late = ran(&sandbox, Plan { timeout: Duration::from_millis(50), ..house.plan("sleep 60") });
    assert_eq!((late.exit, sandbox.namespaces.count()), (Exit::TimedOut, 0));
    let daemon = ran(&sandbox, house.plan("setsid sleep 60 > /dev/null 2>&1 &"));
    assert_eq!((daemon.exit, sandbox.namespaces.count()), (Exit::Code(0), 0));
    // Whoever comes next is the only one that gives something back.
    ran(&sandbox, house.plan("true"));
    wait_for(&sandbox, 1);
}

#[test]
fn trust_net_what_a_line_does_in_a_network_is_not_met_by_the_next() {
    let house = House::new();
    // What else would stop it is left out.
    let whole = Sandbox::new(&[]).unwrap();
    let without_filter = Layers::default()
        .with(Layer::UserNamespace)
        .with(Layer::PidNamespace)
        .with(Layer::NetworkNamespace)
        .with(Layer::NoNewPrivileges);
    let alone = whole.only(without_filter.with(Layer::Seccomp));
    let open = "import socket\ns = socket.socket(socket.AF_UNIX)\n";
    let listen = format!("{open}s.bind('\\0left')\ns.listen()\nprint('listens')");
    let connect = format!("{open}s.connect('\\0left')\nprint('connected')");
    let both = format!("{listen}\nc = socket.socket(socket.AF_UNIX)\nc.connect('\\0left')\nprint('connected')");
    assert_eq!(text(&ran(&alone, house.python(&both))), "listens\nconnected\n", "the test can tell");
    wait_for(&alone, 1);
    assert!(text(&ran(&alone, house.python(&connect))).contains("ConnectionRefusedError"));
    wait_for(&alone, 1);
    // Nobody inside may switch its interface on.
    let up = "import fcntl, socket, struct\n\
              s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n\
              fcntl.ioctl(s, 0x8914, struct.pack('16sh22x', b'lo', 1))";
    let refused = text(&ran(&whole.only(without_filter), house.python(up)));
    assert!(refused.contains("PermissionError"), "{refused}");
}

/// Where more of a namespace can be changed than who is in it, nobody is given it again.
#[test]
fn trust_net_without_a_filter_or_with_rights_each_line_has_a_network_of_its_own() {
    let (house, whole) = (House::new(), Sandbox::new(&[]).unwrap());
    for missing in [Layer::Seccomp, Layer::NoNewPrivileges] {
        let weaker = whole.only(whole.layers.without(missing));
        ran(&weaker, house.plan("true"));
        stays_empty(&weaker);
    }
    ran(&whole, house.plan("true"));
    wait_for(&whole, 1);
}

/// Nor while somebody has a socket of it.
#[test]
fn trust_net_a_network_with_a_socket_in_it_is_given_to_nobody() {
    let (house, sandbox) = (House::new(), Sandbox::new(&[]).unwrap());
    let keep = "import os, socket, time\n\
                s = socket.socket(socket.AF_UNIX)\ns.bind('here')\ns.listen()\n\
                kept = socket.recv_fds(s.accept()[0], 1, 1)\n\
                open('kept', 'w')\n\
                while not os.path.exists('enough'): time.sleep(0.01)";
    let hand_over = "import os, socket, time\n\
                     while not os.path.exists('here'): time.sleep(0.01)\n\
                     left = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\nleft.bind('\\0left')\n\
                     s = socket.socket(socket.AF_UNIX)\n\
                     while s.connect_ex('here'): time.sleep(0.01)\n\
                     socket.send_fds(s, [b'x'], [left.fileno()])\n\
                     while not os.path.exists('kept'): time.sleep(0.01)\n\
                     print('handed over')";
    std::thread::scope(|scope| {
        let keeper = scope.spawn(|| ran(&sandbox, house.python(keep)));
        assert_eq!(text(&ran(&sandbox, house.python(hand_over))), "handed over\n");
        stays_empty(&sandbox);
        std::fs::write(house.path("write/enough"), "").unwrap();
        let kept = keeper.join().unwrap();
        assert_eq!((text(&kept).as_str(), kept.exit), ("", Exit::Code(0)));
    });
    wait_for(&sandbox, 1);
}

/// For longer than the first process of a line takes to end.
fn stays_empty(sandbox: &Sandbox) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(300) {
        assert_eq!(sandbox.namespaces.count(), 0);
        std::thread::yield_now();
    }
}
