-- The invariants of the product, one query each (I3 needs two, I6 four). A query returns its number
-- and the ids of the rows that break it, and no row at all while it holds.

-- I1: a promotion is whole, and its result is the retracted record's or the replacement's version.
SELECT 'I1' AS number, array_agg(r.id) AS ids
FROM feedback_report r
LEFT JOIN memory_recordversion v ON v.project_id = r.project_id AND v.id = r.promotion_version
LEFT JOIN memory_record n ON n.project_id = r.project_id AND n.id = r.replacement_record_id
WHERE num_nonnulls(r.promoted_at, r.promoted_by_kind, r.promoted_by_id, r.promoted_via,
                   r.promotion_request_id, r.promotion_change, r.promotion_expected_version,
                   r.promotion_version) NOT IN (0, 8)
   OR r.promoted_at IS NOT NULL AND CASE r.promotion_change
        WHEN 'record.retract' THEN v.record_id IS DISTINCT FROM r.record_id
        ELSE v.record_id IS DISTINCT FROM n.id OR n.replaces IS DISTINCT FROM r.record_id END
HAVING count(*) > 0;

-- I2: a record is what its newest version says, and its closing is whole and points both ways.
SELECT 'I2' AS number, array_agg(r.id) AS ids
FROM memory_record r
LEFT JOIN LATERAL (
  SELECT id, status, number FROM memory_recordversion v
  WHERE v.project_id = r.project_id AND v.record_id = r.id ORDER BY number DESC LIMIT 1) v ON true
LEFT JOIN memory_record n ON n.project_id = r.project_id AND n.id = r.replaced_by
WHERE (v.id, v.status, v.number) IS DISTINCT FROM (r.version, r.status, r.version_number)
   OR CASE r.status
        WHEN 'current' THEN r.known_until IS NOT NULL OR r.replaced_by IS NOT NULL
        WHEN 'superseded' THEN n.replaces IS DISTINCT FROM r.id
          OR n.known_from IS DISTINCT FROM r.known_until
        ELSE r.known_until IS NULL OR r.replaced_by IS NOT NULL END
HAVING count(*) > 0;

-- I3: versions are numbered 1..n,
SELECT 'I3' AS number, array_agg(id) AS ids
FROM (
  SELECT r.id FROM memory_record r
  LEFT JOIN memory_recordversion v ON v.project_id = r.project_id AND v.record_id = r.id
  GROUP BY r.id
  HAVING count(DISTINCT v.number) = 0 OR count(v.id) <> max(v.number)
      OR count(DISTINCT v.number) <> max(v.number) OR min(v.number) <> 1) broken
HAVING count(*) > 0;

-- and a subject has a single-valued predicate once among current records.
SELECT 'I3' AS number, array_agg(id) AS ids
FROM (
  SELECT unnest(array_agg(r.id)) AS id FROM memory_record r
  LEFT JOIN memory_predicate p ON p.project_id = r.project_id AND p.name = r.predicate
  WHERE r.status = 'current' AND (r.is_single_valued OR p.is_single_valued)
  GROUP BY r.project_id, r.subject, r.predicate HAVING count(*) > 1) broken
HAVING count(*) > 0;

-- I4: no two reports have one result, and no record is promoted away twice.
SELECT 'I4' AS number, array_agg(id) AS ids
FROM (
  SELECT unnest(array_agg(id)) AS id FROM feedback_report WHERE promotion_version IS NOT NULL
  GROUP BY project_id, promotion_version HAVING count(*) > 1
  UNION
  SELECT unnest(array_agg(id)) FROM feedback_report WHERE promoted_at IS NOT NULL
  GROUP BY project_id, record_id HAVING count(*) > 1) broken
HAVING count(*) > 0;

-- I5: each promotion is audited with its change, and no change is without an entry. A replay
-- is a `feedback.promote` of magnitude 0 and changes nothing.
SELECT 'I5' AS number, array_agg(id) AS ids
FROM (
  SELECT request_id AS id FROM memory_auditentry
  WHERE outcome = 'allowed' AND magnitude > 0
  GROUP BY project_id, request_id
  HAVING count(*) FILTER (WHERE operation = 'feedback.promote') > 0
     AND count(*) FILTER (WHERE operation = 'feedback.promote')
      <> count(*) FILTER (WHERE operation IN ('record.correct', 'record.retract'))
  UNION ALL
  SELECT p.id::text FROM memory_project p
  WHERE (SELECT count(*) FROM memory_auditentry e
         WHERE e.project_id = p.id AND e.operation = 'feedback.promote'
           AND e.outcome = 'allowed' AND e.magnitude > 0)
      < (SELECT count(*) FROM feedback_report r
         WHERE r.project_id = p.id AND r.promoted_at IS NOT NULL)
  UNION ALL
  SELECT v.id::text FROM memory_recordversion v
  WHERE NOT EXISTS (SELECT FROM memory_auditentry e
                    WHERE e.project_id = v.project_id AND e.request_id = v.request_id
                      AND e.outcome = 'allowed' AND (e.operation = v.change
                        OR v.change = 'record.assert' AND e.operation = 'record.consolidate'))) broken
HAVING count(*) > 0;

-- I6: what is about a record finds it,
SELECT 'I6' AS number, array_agg(id) AS ids
FROM (
  SELECT id, project_id, record_id FROM feedback_report
  UNION ALL SELECT id, project_id, record_id FROM memory_citation
  UNION ALL SELECT id, project_id, record_id FROM feedback_contextitem
  UNION ALL SELECT id, project_id, record_id FROM feedback_outcome
    WHERE record_id IS NOT NULL
  UNION ALL SELECT s.id, s.project_id, CASE WHEN s.record_version IS NULL THEN s.record_id
      ELSE (SELECT v.record_id FROM memory_recordversion v WHERE v.project_id = s.project_id
            AND v.id = s.record_version AND v.record_id = s.record_id) END
    FROM feedback_signal s WHERE s.record_id IS NOT NULL
  UNION ALL SELECT i.id, i.project_id, CASE WHEN i.report_id IS NULL THEN i.record_id
      ELSE (SELECT r.record_id FROM feedback_report r WHERE r.project_id = i.project_id
            AND r.id = i.report_id AND r.record_id = i.record_id) END
    FROM feedback_integrityitem i) about
WHERE NOT EXISTS (SELECT FROM memory_record r
                  WHERE r.project_id = about.project_id AND r.id = about.record_id)
HAVING count(*) > 0;

-- and an open report knows whether its record is current.
SELECT 'I6' AS number, array_agg(r.id) AS ids
FROM feedback_report r
JOIN memory_record t ON t.project_id = r.project_id AND t.id = r.record_id
WHERE r.promoted_at IS NULL AND r.target_closed_at IS DISTINCT FROM t.known_until
HAVING count(*) > 0;

-- A report shows its record as it is, and calls its reporter by name.
SELECT 'I6' AS number, array_agg(r.id) AS ids
FROM feedback_report r
JOIN memory_record t ON t.project_id = r.project_id AND t.id = r.record_id
LEFT JOIN memory_subject s ON s.project_id = r.project_id AND s.id = r.reporter_subject_id
WHERE (r.target_subject, r.target_predicate, r.target_object, r.target_preview, r.target_status,
       r.target_version, r.target_version_number, r.target_closed_at, r.target_replaced_by,
       r.reporter_name)
   IS DISTINCT FROM
      (t.subject, t.predicate, t.object, left(t.statement, 512), t.status::text,
       t.version, t.version_number, t.known_until, t.replaced_by, s.name)
HAVING count(*) > 0;

-- A record calls the person that it is about by name.
SELECT 'I6' AS number, array_agg(r.id) AS ids
FROM memory_record r
LEFT JOIN memory_subject s ON s.project_id = r.project_id AND s.id = r.data_subject_id
WHERE r.data_subject_name IS DISTINCT FROM s.name
HAVING count(*) > 0;

-- I7: what a key stands for exists. (An effect does not say under which key it was made.)
SELECT 'I7' AS number, array_agg(DISTINCT k.id) AS ids
FROM memory_idempotencykey k
CROSS JOIN LATERAL (
  SELECT key, value #>> '{}' AS value FROM jsonb_each(k.receipt)
  WHERE key NOT IN ('records', 'versions', 'canonical_replays', 'accepted')
  UNION ALL
  SELECT e.key, e.value #>> '{}' FROM jsonb_array_elements(k.receipt -> 'records') row,
    jsonb_each(CASE jsonb_typeof(row.value) WHEN 'object' THEN row.value END) e
  UNION ALL
  SELECT 'record', row.value #>> '{}' FROM jsonb_array_elements(k.receipt -> 'records') row
  WHERE jsonb_typeof(row.value) = 'string'
  UNION ALL
  SELECT 'version', row.value FROM jsonb_array_elements_text(k.receipt -> 'versions') row) named
WHERE k.receipt IS NOT NULL AND NOT CASE
    WHEN named.key IN ('record', 'original') THEN EXISTS (
      SELECT FROM memory_record WHERE project_id = k.project_id AND id = named.value::uuid)
    WHEN named.key IN ('version', 'closing') THEN EXISTS (
      SELECT FROM memory_recordversion WHERE project_id = k.project_id AND id = named.value::uuid)
    WHEN named.key = 'source' THEN EXISTS (
      SELECT FROM memory_source WHERE project_id = k.project_id AND id = named.value::uuid)
    WHEN named.key = 'report' THEN EXISTS (
      SELECT FROM feedback_report WHERE project_id = k.project_id AND id = named.value::uuid)
    WHEN named.key = 'outcome' THEN EXISTS (
      SELECT FROM feedback_outcome WHERE project_id = k.project_id AND id = named.value::uuid)
    WHEN named.key = 'item' THEN EXISTS (
      SELECT FROM feedback_integrityitem WHERE project_id = k.project_id AND id = named.value::uuid)
    ELSE false END
HAVING count(*) > 0;

-- I8: the postings are exactly the terms of the records, as current or closed as those are.
SELECT 'I8' AS number, array_agg(DISTINCT coalesce(p.record_id, r.id)) AS ids
FROM memory_posting p
FULL JOIN (
  SELECT project_id, id, unnest(terms) AS term, status, cardinality(terms) AS term_count
  FROM memory_record) r ON r.project_id = p.project_id AND r.id = p.record_id AND r.term = p.term
WHERE p.record_id IS NULL OR r.id IS NULL
   OR p.is_current <> (r.status = 'current') OR p.term_count <> r.term_count
HAVING count(*) > 0;
