//! POLICY FOLDER -> `policy.cedar`, `limits.cedar` and `policy.cedarschema` in that folder, and the
//! policy's first test there as a request for Cedar's own command line.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use policy_cedar::{Approval, RequestBuilder, compile};
use policy_model::{CheckOptions, check};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1).map(PathBuf::from);
    let (Some(policy), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("two arguments are needed: a policy and a folder".into());
    };
    let model = check(&policy, CheckOptions::default()).model.ok_or("the policy has errors: see `policyc check`")?;
    let compiled = compile(&model)?;
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("policy.cedar"), &compiled.policies_text)?;
    fs::write(folder.join("limits.cedar"), &compiled.limits_text)?;
    fs::write(folder.join("policy.cedarschema"), &compiled.schema_text)?;
    match model.tests.first() {
        Some(test) => write_request(&folder, &RequestBuilder::new(&model)?, &test.request),
        None => Ok(()),
    }
}

fn write_request(
    folder: &Path,
    requests: &RequestBuilder,
    request: &policy_model::Request,
) -> Result<(), Box<dyn Error>> {
    let asked = requests.build(request, Approval::Missing)?;
    let shown = |uid: Option<&cedar_policy::EntityUid>| uid.map(ToString::to_string);
    let context = asked.request.context().ok_or("the request has no context")?.to_json_value()?;
    let json = serde_json::json!({
        "principal": shown(asked.request.principal()),
        "action": shown(asked.request.action()),
        "resource": shown(asked.request.resource()),
        "context": context,
    });
    fs::write(folder.join("request.json"), serde_json::to_string_pretty(&json)?)?;
    let entities = asked.entities.to_json_value()?;
    fs::write(folder.join("entities.json"), serde_json::to_string_pretty(&entities)?)?;
    Ok(())
}
