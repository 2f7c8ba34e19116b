//! The schema of a time that a caller gives, the same in every interface.

use std::borrow::Cow;

use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The years 1000 to 8999, and offsets of at most 14 hours; the format says the rest.
const PATTERN: &str = "^[1-8][0-9]{3}-.*([Zz]|[+-](0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)$";

/// An instant given by a caller. For the OpenAPI document only: no value has this type.
pub(crate) enum TimeIn {}

impl PartialSchema for TimeIn {
    fn schema() -> RefOr<Schema> {
        let description = "RFC 3339 with `Z` or an offset of at most 14 hours, years 1000 to 8999. Kept to the microsecond.";
        let time = ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some(description))
            .examples(["2023-01-08T12:49:00+01:00"])
            .pattern(Some(PATTERN));
        RefOr::T(Schema::Object(time.build()))
    }
}

impl ToSchema for TimeIn {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("TimeIn")
    }
}
