//! A property -> a question that bytes can be put to: by the property's own cases, or about the bytes themselves.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use verify::cases::{Case, Premise};
use verify::engines::{Raw, check};

/// A property, ready to be asked about bytes.
#[derive(Debug, Clone, Copy)]
pub struct Ask {
    /// Its path.
    pub name: &'static str,
    holds: Holds,
}

type Holds = fn(&[u8]) -> Result<Premise, String>;

impl Ask {
    /// A property by its path.
    #[must_use]
    pub const fn new(name: &'static str, holds: Holds) -> Self {
        Self { name, holds }
    }

    /// Asks it.
    ///
    /// # Errors
    /// When it does not hold: with the case.
    pub fn holds(&self, bytes: &[u8]) -> Result<Premise, String> {
        (self.holds)(bytes)
    }

    /// Asks a property about the bytes themselves.
    ///
    /// # Errors
    /// When it panics: with its name and the message.
    pub fn check(name: &str, property: fn(&[u8]) -> Premise, bytes: &[u8]) -> Result<Premise, String> {
        // A property keeps nothing, so there is nothing that a panic leaves half done.
        catch_unwind(AssertUnwindSafe(|| property(bytes)))
            .map_err(|panic| format!("`{name}` does not hold: {}", message(&*panic)))
    }
}

/// The properties of the core that stand in these modules of `verify`, all of them.
pub(crate) fn core_properties(modules: &[&str]) -> Vec<Ask> {
    let is_wanted = |ask: &&Ask| ask.name.split("::").next().is_some_and(|module| modules.contains(&module));
    CORE.iter().filter(is_wanted).copied().collect()
}

fn drawn<C: Case>(name: &str, property: fn(&C) -> Premise, bytes: &[u8]) -> Result<Premise, String> {
    check(name, property, &C::draw(&mut Raw::new(bytes)))
}

macro_rules! asked {
    ($($module:ident { $(
        $name:ident { $counted:ty, $full:ty, $random:ty; $($proof:tt)+ }
    )+ })+) => {
        const CORE: &[Ask] = &[$($({
            const NAME: &str = concat!(stringify!($module), "::", stringify!($name));
            Ask::new(NAME, |bytes| {
                use verify::properties::$module::*;
                drawn::<$random>(NAME, $name, bytes)
            })
        }),+),+];
    };
}

verify::for_each_property!(asked);

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    String::from(text.unwrap_or("it panics"))
}
