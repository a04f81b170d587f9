//! The page: one HTML file with its style, its code and, where it is not served, all that it shows.

use serde_json::Value;

const HTML: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const CODE: &[&str] = &[include_str!("colour.js"), include_str!("plots.js"), include_str!("page.js")];

/// The page that asks the server for what it shows.
pub fn served() -> String {
    filled(&Value::Null, &Value::Null)
}

/// The page with everything in it.
pub fn whole(model: &Value, details: &Value) -> String {
    filled(model, details)
}

fn filled(model: &Value, details: &Value) -> String {
    let data = format!("const MODEL = {};\nconst DETAILS = {};\n", in_script(model), in_script(details));
    HTML.replace("/*style*/", STYLE).replace("/*code*/", &(data + &CODE.join("\n")))
}

/// JSON inside a script must not end it.
fn in_script(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_cannot_end_the_script() {
        let html = whole(&serde_json::json!({ "source": "// </script><!-- /*code*/" }), &Value::Null);
        assert_eq!(html.matches("</script>").count(), HTML.matches("</script>").count());
        assert!(html.contains("\\u003c/script>"));
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        let html = served();
        for outside in ["src=", "@import", "href=", "https://"] {
            assert!(!html.contains(outside), "{outside}");
        }
    }
}
