//! A question -> its answer, or the panic and where it was. Panics that are expected are not printed: making a case
//! smaller asks a hundred times.

use std::any::Any;
use std::boxed::Box;
use std::cell::{Cell, RefCell};
use std::format;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::string::String;
use std::sync::Once;
use std::thread_local;

/// Asks, and says nothing aloud when the answer is a panic.
pub(super) fn caught<T>(question: impl FnOnce() -> T) -> Result<T, (Box<dyn Any + Send>, String)> {
    listen();
    IS_ASKING.set(true);
    // A property takes a case and keeps nothing, so there is nothing that a panic leaves half done.
    let answer = catch_unwind(AssertUnwindSafe(question));
    IS_ASKING.set(false);
    answer.map_err(|panic| (panic, PLACE.take()))
}

/// Every panic of the program comes by here; those that nobody asked for are printed as ever.
fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if IS_ASKING.get() {
                let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
                PLACE.set(place.unwrap_or_default());
            } else {
                before(panic);
            }
        }));
    });
}

thread_local! {
    static IS_ASKING: Cell<bool> = const { Cell::new(false) };
    /// Where the last panic was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}
