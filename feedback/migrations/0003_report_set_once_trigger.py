"""A report's promotion and the closing of its target are set once; nothing else ever changes."""

from django.db import migrations

CREATE = """
CREATE FUNCTION feedback_report_set_once_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE free text[] := ARRAY[]::text[];
BEGIN
  IF OLD.promoted_at IS NULL THEN
    free := free || ARRAY['promoted_at', 'promoted_by_kind', 'promoted_by_id', 'promoted_via',
      'promotion_request_id', 'promotion_change', 'promotion_expected_version',
      'promotion_version', 'replacement_record_id'];
  END IF;
  IF OLD.target_closed_at IS NULL THEN
    free := free || ARRAY['target_closed_at'];
  END IF;
  IF to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free THEN  -- covers later columns too
    RAISE EXCEPTION 'a report is set once'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'feedback_report_set_once';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER feedback_report_set_once_v1 BEFORE UPDATE ON feedback_report
  FOR EACH ROW EXECUTE FUNCTION feedback_report_set_once_v1();
CREATE TRIGGER feedback_report_erased_only_v1 BEFORE DELETE ON feedback_report
  FOR EACH ROW EXECUTE FUNCTION memory_append_only_v1();
CREATE TRIGGER feedback_report_no_truncate_v1 BEFORE TRUNCATE ON feedback_report
  FOR EACH STATEMENT EXECUTE FUNCTION memory_append_only_v1();
"""

DROP = """
DROP TRIGGER feedback_report_no_truncate_v1 ON feedback_report;
DROP TRIGGER feedback_report_erased_only_v1 ON feedback_report;
DROP TRIGGER feedback_report_set_once_v1 ON feedback_report;
DROP FUNCTION feedback_report_set_once_v1();
"""


class Migration(migrations.Migration):
    """A trigger, because a CHECK cannot see what a row was."""

    dependencies = [("feedback", "0002_references")]

    operations = [migrations.RunSQL(CREATE, DROP)]
