"""What a record may become, how its versions count, and what a citation quotes."""

from django.db import migrations

CREATE = """
CREATE FUNCTION memory_record_legal_change_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE free text[] := ARRAY['is_single_valued', 'is_disputed'];
BEGIN
  IF OLD.status = 'current' THEN
    free := free || ARRAY['status', 'version', 'version_number', 'known_until', 'replaced_by'];
  END IF;
  IF to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free THEN  -- covers later columns too
    RAISE EXCEPTION 'a record is closed once and its content never changes'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'memory_record_legal_change';
  END IF;
  IF NEW.version_number <> OLD.version_number + (NEW.version IS DISTINCT FROM OLD.version)::int
     OR (NEW.status IS DISTINCT FROM OLD.status AND NEW.version = OLD.version) THEN
    RAISE EXCEPTION 'version numbers of a record have no gaps'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'memory_record_version_number';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_record_legal_change_v1 BEFORE UPDATE ON memory_record
  FOR EACH ROW EXECUTE FUNCTION memory_record_legal_change_v1();
CREATE TRIGGER memory_record_erased_only_v1 BEFORE DELETE ON memory_record
  FOR EACH ROW EXECUTE FUNCTION memory_append_only_v1();
CREATE TRIGGER memory_record_no_truncate_v1 BEFORE TRUNCATE ON memory_record
  FOR EACH STATEMENT EXECUTE FUNCTION memory_append_only_v1();

CREATE FUNCTION memory_recordversion_number_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.number <> 1 + coalesce((SELECT max(number) FROM memory_recordversion
      WHERE project_id = NEW.project_id AND record_id = NEW.record_id), 0) THEN
    RAISE EXCEPTION 'version numbers of a record have no gaps'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'memory_recordversion_number';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_recordversion_number_v1 BEFORE INSERT ON memory_recordversion
  FOR EACH ROW EXECUTE FUNCTION memory_recordversion_number_v1();

CREATE FUNCTION memory_citation_quote_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF octet_length(NEW.quote) <> NEW.byte_end - NEW.byte_start  -- a span may not end behind the text
     OR convert_to(NEW.quote, 'UTF8') IS DISTINCT FROM (
      SELECT substring(convert_to(content, 'UTF8')
                       FROM NEW.byte_start + 1 FOR NEW.byte_end - NEW.byte_start)
      FROM memory_message WHERE project_id = NEW.project_id AND source_id = NEW.source_id
        AND ordinal = NEW.ordinal) THEN
    RAISE EXCEPTION 'a quote equals the bytes it cites'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'memory_citation_quote';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_citation_quote_v1 BEFORE INSERT ON memory_citation
  FOR EACH ROW EXECUTE FUNCTION memory_citation_quote_v1();

CREATE FUNCTION memory_source_log_offset_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE memory_project SET next_log_offset = next_log_offset + 1
    WHERE id = NEW.project_id RETURNING next_log_offset - 1 INTO NEW.log_offset;
  RETURN NEW;
END $$;
CREATE TRIGGER memory_source_log_offset_v1 BEFORE INSERT ON memory_source
  FOR EACH ROW EXECUTE FUNCTION memory_source_log_offset_v1();
"""

DROP = """
DROP TRIGGER memory_source_log_offset_v1 ON memory_source;
DROP FUNCTION memory_source_log_offset_v1();
DROP TRIGGER memory_citation_quote_v1 ON memory_citation;
DROP FUNCTION memory_citation_quote_v1();
DROP TRIGGER memory_recordversion_number_v1 ON memory_recordversion;
DROP FUNCTION memory_recordversion_number_v1();
DROP TRIGGER memory_record_no_truncate_v1 ON memory_record;
DROP TRIGGER memory_record_erased_only_v1 ON memory_record;
DROP TRIGGER memory_record_legal_change_v1 ON memory_record;
DROP FUNCTION memory_record_legal_change_v1();
"""


class Migration(migrations.Migration):
    """Triggers for rules that a CHECK cannot express: what a row was, and what others hold."""

    dependencies = [("memory", "0003_append_only_triggers")]

    operations = [migrations.RunSQL(CREATE, DROP)]
