"""A record is single-valued because its predicate is, however concurrently they came."""

from django.db import migrations

CREATE = """
CREATE FUNCTION memory_record_single_valued_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- Waits for a marking under way, which holds the project FOR UPDATE, and then sees its result.
  PERFORM 1 FROM memory_project WHERE id = NEW.project_id FOR KEY SHARE;
  NEW.is_single_valued := EXISTS (
    SELECT FROM memory_predicate
    WHERE project_id = NEW.project_id AND name = NEW.predicate AND is_single_valued);
  RETURN NEW;
END $$;
CREATE TRIGGER memory_record_single_valued_v1 BEFORE INSERT ON memory_record
  FOR EACH ROW EXECUTE FUNCTION memory_record_single_valued_v1();
"""

DROP = """
DROP TRIGGER memory_record_single_valued_v1 ON memory_record;
DROP FUNCTION memory_record_single_valued_v1();
"""


class Migration(migrations.Migration):
    """A trigger, because the operation that asserts cannot know what is being marked meanwhile."""

    dependencies = [("memory", "0005_no_statistics_of_texts")]

    operations = [migrations.RunSQL(CREATE, DROP)]
