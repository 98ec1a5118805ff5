"""How statements become searchable: configurations of the text search, and who writes postings."""

from django.db import migrations

# Accents are folded where the server has the extension and lets us use it; without it searches need
# the accents.
CONFIGURATIONS = """
DO $$
BEGIN
  BEGIN
    CREATE EXTENSION IF NOT EXISTS unaccent;
  EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN NULL;
  END;
  CREATE TEXT SEARCH CONFIGURATION errata_english (COPY = pg_catalog.english);
  CREATE TEXT SEARCH CONFIGURATION errata_simple (COPY = pg_catalog.simple);
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'unaccent') THEN
    ALTER TEXT SEARCH CONFIGURATION errata_english
      ALTER MAPPING FOR hword, hword_part, word WITH unaccent, english_stem;
    ALTER TEXT SEARCH CONFIGURATION errata_simple
      ALTER MAPPING FOR hword, hword_part, word WITH unaccent, simple;
  END IF;
END $$;
"""

# The hash is keyed, so that postings say nothing to whoever does not know the project's key, and
# holds the person, so that the records about others are never read.
FUNCTIONS = """
CREATE FUNCTION memory_term_v1(digest_key bytea, data_subject uuid, lexeme text) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ('x' || encode(substr(sha256(digest_key
      || convert_to(coalesce(data_subject::text, '') || ' ' || lexeme, 'UTF8')), 1, 8), 'hex')
    )::bit(64)::bigint
$$;

CREATE FUNCTION memory_record_terms_v1() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE project memory_project;
BEGIN
  SELECT * INTO project FROM memory_project WHERE id = NEW.project_id;
  NEW.terms := ARRAY(
    SELECT memory_term_v1(project.digest_key, NEW.data_subject_id, lexeme)
    FROM unnest(tsvector_to_array(
      to_tsvector(('errata_' || project.search_language)::regconfig, NEW.statement))) AS lexeme
    ORDER BY 1);
  RETURN NEW;
END $$;
CREATE TRIGGER memory_record_terms_v1 BEFORE INSERT ON memory_record
  FOR EACH ROW EXECUTE FUNCTION memory_record_terms_v1();

CREATE FUNCTION memory_record_posted_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO memory_posting (project_id, term, is_current, record_id, term_count)
  SELECT r.project_id, term, r.status = 'current', r.id, cardinality(r.terms)
  FROM written r CROSS JOIN unnest(r.terms) AS term;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_record_posted_v1 AFTER INSERT ON memory_record
  REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION memory_record_posted_v1();

CREATE FUNCTION memory_record_reposted_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE memory_posting SET is_current = NEW.status = 'current'
  WHERE project_id = OLD.project_id AND term = ANY (OLD.terms)
    AND is_current = (OLD.status = 'current') AND record_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_record_reposted_v1 AFTER UPDATE OF status ON memory_record
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status)
  EXECUTE FUNCTION memory_record_reposted_v1();

CREATE FUNCTION memory_record_unposted_v1() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM memory_posting
  WHERE project_id = OLD.project_id AND term = ANY (OLD.terms)
    AND is_current = (OLD.status = 'current') AND record_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER memory_record_unposted_v1 AFTER DELETE ON memory_record
  FOR EACH ROW EXECUTE FUNCTION memory_record_unposted_v1();
"""

# Records from before, if any. Their content does not change, so its guard may look away.
BACKFILL = """
ALTER TABLE memory_record DISABLE TRIGGER memory_record_legal_change_v1;
UPDATE memory_record r SET terms = ARRAY(
  SELECT memory_term_v1(p.digest_key, r.data_subject_id, lexeme)
  FROM unnest(tsvector_to_array(
    to_tsvector(('errata_' || p.search_language)::regconfig, r.statement))) AS lexeme
  ORDER BY 1)
FROM memory_project p WHERE p.id = r.project_id;
INSERT INTO memory_posting (project_id, term, is_current, record_id, term_count)
SELECT r.project_id, term, r.status = 'current', r.id, cardinality(r.terms)
FROM memory_record r CROSS JOIN unnest(r.terms) AS term;
ALTER TABLE memory_record ENABLE TRIGGER memory_record_legal_change_v1;
"""

STATISTICS = """
ALTER TABLE memory_record ALTER COLUMN terms SET STATISTICS 0,
  ALTER COLUMN observer_name SET STATISTICS 0;
ALTER TABLE memory_source ALTER COLUMN agent_name SET STATISTICS 0,
  ALTER COLUMN run_name SET STATISTICS 0;
ALTER TABLE memory_posting ALTER COLUMN term SET STATISTICS 0,
  SET (autovacuum_vacuum_insert_scale_factor = 0.02);
"""

REVERSE = """
ALTER TABLE memory_posting ALTER COLUMN term SET STATISTICS -1,
  RESET (autovacuum_vacuum_insert_scale_factor);
ALTER TABLE memory_source ALTER COLUMN agent_name SET STATISTICS -1,
  ALTER COLUMN run_name SET STATISTICS -1;
ALTER TABLE memory_record ALTER COLUMN terms SET STATISTICS -1,
  ALTER COLUMN observer_name SET STATISTICS -1;
DROP TRIGGER memory_record_unposted_v1 ON memory_record;
DROP FUNCTION memory_record_unposted_v1();
DROP TRIGGER memory_record_reposted_v1 ON memory_record;
DROP FUNCTION memory_record_reposted_v1();
DROP TRIGGER memory_record_posted_v1 ON memory_record;
DROP FUNCTION memory_record_posted_v1();
DROP TRIGGER memory_record_terms_v1 ON memory_record;
DROP FUNCTION memory_record_terms_v1();
DROP FUNCTION memory_term_v1(bytea, uuid, text);
DROP TEXT SEARCH CONFIGURATION errata_simple;
DROP TEXT SEARCH CONFIGURATION errata_english;
"""


class Migration(migrations.Migration):
    """Triggers, because whatever way a record came or went, its postings must agree (ADR 10)."""

    dependencies = [("memory", "0008_postings")]

    operations = [
        migrations.RunSQL(
            CONFIGURATIONS + FUNCTIONS + STATISTICS + BACKFILL,
            REVERSE,
        )
    ]
