//! Reading: what was written is read as it was written, and all other bytes are refused by the name of what is wrong.

mod again;
mod any;
mod cut;
mod encoder;
mod numbers;
mod sent;
mod tags;

pub(crate) use encoder::Encoder;

pub use again::{Again, what_comes_again_is_refused};
pub use any::{Envelope, Inside, reading_a_message_is_total, reading_an_envelope_is_total};
pub use cut::{Cut, what_is_cut_off_is_refused_or_ends_at_a_field};
pub use numbers::{Spelled, numbers_have_one_form};
pub use sent::{Sent, SentTool, what_is_written_is_read};
pub use tags::{Tagged, tags_out_of_place_are_refused};
