//! seeds -> policies and requests -> whether all judges give the same answer
//!
//! Several judges decide the same requests: the reference evaluator says what the language means, the
//! others are what runs. Here policies and requests are made, every judge is asked, and proptest shrinks
//! a difference. It knows no judge's insides.

mod campaign;
mod cedar;
mod dice;
mod facts;
pub mod generate;
mod judge;
mod requests;
mod table;
mod tally;
mod world;
mod wrong;

pub use campaign::{Campaign, Found, Report, check_text};
pub use cedar::cedar;
pub use dice::Dice;
pub use facts::Facts;
pub use judge::{Answer, Difference, Gives, Judge, Prepared, Refusal, Seat, agree, agreement, reference, seats};
pub use requests::Requests;
pub use table::table;
pub use tally::Tally;
pub use world::World;
pub use wrong::wrong_seats;
