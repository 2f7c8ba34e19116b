//! What our own export wrote beside a message, in an object `everwhen`: what the format of the other program
//! has no field for.

use everwhen_engine::memory::{Role, TimeFrom, TimePrecision, ZoneFrom};
use serde_json::Value;

use super::moment::Moment;
use super::thread::Message;

impl Message {
    /// With what an export wrote beside it; unchanged if there is nothing.
    #[must_use]
    pub(crate) fn beside(mut self, own: &Value) -> Self {
        let Some(at) = own["time"].as_str().and_then(|time| time.parse().ok()) else {
            return self;
        };
        let mut time = self.time.unwrap_or_else(|| Moment::utc(at, TimePrecision::Microsecond));
        let word = |field: &str| own[field].as_str().unwrap_or_default();
        time.at = at;
        time.precision = TimePrecision::named(word("precision")).unwrap_or(time.precision);
        time.from = TimeFrom::named(word("time_from")).unwrap_or(time.from);
        time.zone = ZoneFrom::named(word("zone_from")).unwrap_or(time.zone);
        if own["precision"].is_string() {
            time.text = own["time_text"].as_str().map(str::to_owned);
        }
        self.time = Some(time);
        self.role = Role::named(word("role")).unwrap_or(self.role);
        self.speaker = own["speaker"].as_str().map(str::to_owned);
        self.id = own["id"].as_str().map(str::to_owned).or(self.id);
        self.tags = texts(&own["tags"]);
        self.tools = texts(&own["tools_used"]);
        self.more = own["metadata"].as_object().cloned().unwrap_or_default();
        if let Some(Value::String(model)) = self.more.remove("model") {
            self.model = Some(model);
        }
        self
    }
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
