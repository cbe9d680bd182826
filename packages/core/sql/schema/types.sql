CREATE DOMAIN queue.non_empty_text AS text CONSTRAINT non_empty_text_check CHECK (VALUE <> '');

CREATE DOMAIN queue.short_key AS text CONSTRAINT short_key_check CHECK (char_length(VALUE) BETWEEN 1 AND 255);

CREATE DOMAIN queue.count_integer AS integer CONSTRAINT count_integer_check CHECK (VALUE >= 0);

CREATE DOMAIN queue.count_smallint AS smallint CONSTRAINT count_smallint_check CHECK (VALUE >= 0);

CREATE DOMAIN queue.count_bigint AS bigint CONSTRAINT count_bigint_check CHECK (VALUE >= 0);

CREATE DOMAIN queue.positive_integer AS integer CONSTRAINT positive_integer_check CHECK (VALUE >= 1);

CREATE DOMAIN queue.percentage AS smallint CONSTRAINT percentage_check CHECK (VALUE BETWEEN 0 AND 100);

CREATE DOMAIN queue.job_priority AS smallint CONSTRAINT job_priority_check CHECK (VALUE BETWEEN 0 AND 9);

CREATE DOMAIN queue.later_kind_version AS smallint CONSTRAINT later_kind_version_check CHECK (VALUE > 1);

CREATE DOMAIN queue.greater_job_weight AS integer CONSTRAINT greater_job_weight_check CHECK (VALUE BETWEEN 2
    AND 1000000);

CREATE DOMAIN queue.sensitive_parts AS text[] CONSTRAINT sensitive_parts_check CHECK (array_position(VALUE,
    '') IS NULL AND cardinality(VALUE) <= 200);

CREATE DOMAIN queue.only_true AS boolean CONSTRAINT only_true_check CHECK (VALUE);

CREATE DOMAIN queue.limit_scope AS text CONSTRAINT limit_scope_check CHECK (VALUE IN ('queue', 'kind', 'key',
    'each_key', 'tenant'));

CREATE DOMAIN queue.attempt_outcome AS text CONSTRAINT attempt_outcome_check CHECK (VALUE IN ('succeeded',
    'failed', 'lost', 'snoozed', 'released', 'cancelled'));

CREATE TYPE queue.job_status AS ENUM
  ('queued', 'running', 'succeeded', 'retrying', 'failed_permanent', 'cancelled');
