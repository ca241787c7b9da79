//! What lines that run at the same time hand to each other: no folder of one leads the other out.

use super::*;

/// TRUST-PROC: a folder of another line is one of its file tree, and the way up from it ends there.
#[test]
fn trust_proc_a_folder_of_another_line_does_not_lead_to_the_machines_files() {
    let house = House::new();
    let give = "import os, socket, time\n\
                s = socket.socket(socket.AF_UNIX)\ns.bind('here')\ns.listen()\n\
                c = s.accept()[0]\n\
                socket.send_fds(c, [b'x'], [os.open('/', os.O_PATH)])\n\
                c.recv(1)";
    let go_up = "import os, socket, time\n\
                 s = socket.socket(socket.AF_UNIX)\n\
                 while s.connect_ex('here'): time.sleep(0.01)\n\
                 os.fchdir(socket.recv_fds(s, 1, 1)[1][0])\n\
                 for _ in range(9): os.chdir('..')\n\
                 print(os.path.exists('usr'), os.path.exists('var'))\n\
                 s.send(b'x')";
    let told = std::thread::scope(|scope| {
        let giver = scope.spawn(|| ran(sandbox(), house.python(give)));
        let told = text(&ran(sandbox(), house.python(go_up)));
        assert_eq!(text(&giver.join().unwrap()), "");
        told
    });
    assert_eq!(told, "True False\n");
}
