"""Help with misspelt names: the word of a subject or short object that is most like a word."""

from django.db import migrations

# Names are short: an object above 100 bytes is prose, and prose gets no such help.
NAMES = """
CREATE FUNCTION memory_names_v1(subject text, object text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT left(subject, 100) || CASE WHEN octet_length(object) <= 100 THEN ' ' || object ELSE '' END
$$;
"""

# SECURITY DEFINER, because trigram operators are not leakproof: under row security the planner
# could not use the index before the policy. So the function takes no project from its caller: it
# reads the transaction's own setting, and fails closed without one (`assurance.md` 5.3).
SIMILAR = """
CREATE FUNCTION memory_similar_lexeme_v1(configuration regconfig, subjects uuid[], word text)
RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
SET search_path FROM CURRENT AS $$
  WITH alike AS MATERIALIZED (  -- by itself, or the planner would look at every name instead
    SELECT project_id, data_subject_id, memory_names_v1(subject, object) AS names
    FROM memory_record
    WHERE status = 'current' AND word <% memory_names_v1(subject, object)
  )
  SELECT lexeme FROM (
    SELECT DISTINCT part
    FROM alike, regexp_split_to_table(lower(names), '[^[:alnum:]]+') AS part
    WHERE project_id = current_setting('errata.project')::uuid
      AND (data_subject_id = ANY (subjects)
        OR data_subject_id IS NULL AND array_position(subjects, NULL) IS NOT NULL)
  ) AS named, unnest(tsvector_to_array(to_tsvector(configuration, part))) AS lexeme
  WHERE similarity(word, part) >= 0.45
  ORDER BY similarity(word, part) DESC, part, lexeme LIMIT 1
$$;
"""

# Without the extension nobody gets help, and everything else is as it is.
NOTHING_SIMILAR = """
CREATE FUNCTION memory_similar_lexeme_v1(configuration regconfig, subjects uuid[], word text)
RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT NULL::text $$;
"""

CREATE = f"""
DO $do$
BEGIN
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
  EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN NULL;
  END;
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
    {SIMILAR}
  ELSE
    {NOTHING_SIMILAR}
  END IF;
  REVOKE EXECUTE ON FUNCTION memory_similar_lexeme_v1(regconfig, uuid[], text) FROM PUBLIC;
END $do$;
"""  # noqa: S608 - both texts are ours

DROP = """
DROP FUNCTION memory_similar_lexeme_v1(regconfig, uuid[], text);
DROP FUNCTION memory_names_v1(text, text);
"""


class Migration(migrations.Migration):
    """SQL, since the ORM knows no functions; their index comes next, concurrently."""

    dependencies = [("memory", "0009_posting_triggers")]

    operations = [migrations.RunSQL(NAMES + CREATE, DROP)]
