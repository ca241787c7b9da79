//! What is printed of a case that fails, compiled as it is: a test for a case of every property, all of which hold.

#![cfg(test)]

include!("data/pasted.rs");
