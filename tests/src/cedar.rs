//! Cedar as a judge: what `policy-cedar` compiles and Cedar's own Authorizer decides. It gives no
//! obligations, which Cedar does not know.

use policy_cedar::CedarJudge;
use policy_model::Request;
use policy_syntax::Effect;

use crate::judge::{Answer, Gives, Judge, Prepared, Refusal, Seat};

/// The seat of Cedar.
#[must_use]
pub fn cedar() -> Seat {
    Seat::new("cedar", |model| {
        let judge = CedarJudge::new(model).map_err(|error| Refusal(error.to_string()))?;
        Ok(Box::new(Compiled { judge }))
    })
    .at_most(400)
}

struct Compiled {
    judge: CedarJudge,
}

impl Prepared for Compiled {
    fn judge(&self) -> Box<dyn Judge + '_> {
        Box::new(self)
    }
}

impl Judge for &Compiled {
    fn name(&self) -> &'static str {
        "cedar"
    }

    fn gives(&self) -> Gives {
        Gives::VerdictRuleAndCode
    }

    fn judge(&mut self, request: &Request) -> Answer {
        // A request that Cedar has no answer to gets one that no other judge gives.
        let (verdict, rule, code) = match self.judge.judge(request) {
            Ok(answer) => (answer.verdict, answer.rule, answer.code),
            Err(error) => (Effect::Deny, "no answer".to_owned(), error.to_string()),
        };
        Answer {
            verdict,
            rule,
            code,
            exceeded: None,
            requirements: Vec::new(),
            limits: Vec::new(),
            budgets: Vec::new(),
        }
    }
}
