"""The state of a report's target changes exactly when the target closes, and then as a whole."""

from django.db import migrations

CREATE = """
CREATE FUNCTION feedback_report_set_once_v2() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE free text[] := ARRAY[]::text[];
BEGIN
  IF OLD.promoted_at IS NULL THEN
    free := free || ARRAY['promoted_at', 'promoted_by_kind', 'promoted_by_id', 'promoted_via',
      'promotion_request_id', 'promotion_change', 'promotion_expected_version',
      'promotion_version', 'replacement_record_id'];
  END IF;
  IF OLD.target_closed_at IS NULL AND NEW.target_closed_at IS NOT NULL
     AND NEW.target_version <> OLD.target_version
     AND NEW.target_version_number = OLD.target_version_number + 1 THEN
    free := free || ARRAY['target_closed_at', 'target_status', 'target_version',
      'target_version_number', 'target_replaced_by'];
  END IF;
  IF to_jsonb(NEW) - free IS DISTINCT FROM to_jsonb(OLD) - free THEN  -- covers later columns too
    RAISE EXCEPTION 'a report is set once'
      USING ERRCODE = 'check_violation', CONSTRAINT = 'feedback_report_set_once';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER feedback_report_set_once_v2 BEFORE UPDATE ON feedback_report
  FOR EACH ROW EXECUTE FUNCTION feedback_report_set_once_v2();
DROP TRIGGER feedback_report_set_once_v1 ON feedback_report;
DROP FUNCTION feedback_report_set_once_v1();
"""

CREATE_V1 = """
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
DROP TRIGGER feedback_report_set_once_v2 ON feedback_report;
DROP FUNCTION feedback_report_set_once_v2();
"""


class Migration(migrations.Migration):
    """The second version of the trigger takes the place of the first."""

    dependencies = [("feedback", "0010_report_targets_validated")]

    operations = [migrations.RunSQL(CREATE, CREATE_V1)]
