//! What the core does not bring: somewhere to go for a panic. It is never gone to; that is what is checked.

use core::hint::black_box;
use core::panic::PanicInfo;

#[panic_handler]
#[inline(never)]
fn panicked(info: &PanicInfo<'_>) -> ! {
    // Looked at, so that what leads here keeps its name and its arguments.
    loop {
        black_box(info);
    }
}
