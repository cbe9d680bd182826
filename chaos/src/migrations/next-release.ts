import { createMigrator, type Migration, type Migrator, queueAccess, queueLineage } from '@queue/core/runtime'

/** Steps of a release to come, as a step may be that old code can run on: nothing that old statements name changes. */
function nextSteps(codeVersion: number): readonly Migration[] {
  const steps: readonly Pick<Migration, 'name' | 'up' | 'down'>[] = [
    {
      name: 'rehearsal-columns',
      up: (schema) => `
ALTER TABLE ${schema}.jobs ADD COLUMN rehearsal_note text;
ALTER TABLE ${schema}.jobs ADD COLUMN rehearsal_weight integer NOT NULL DEFAULT 1;
ALTER TABLE ${schema}.job_executions ADD COLUMN rehearsal_note text;
ALTER TABLE ${schema}.workers ADD COLUMN rehearsal_zone text NOT NULL DEFAULT 'here';
`,
      down: (schema) => `
ALTER TABLE ${schema}.workers DROP COLUMN rehearsal_zone;
ALTER TABLE ${schema}.job_executions DROP COLUMN rehearsal_note;
ALTER TABLE ${schema}.jobs DROP COLUMN rehearsal_weight;
ALTER TABLE ${schema}.jobs DROP COLUMN rehearsal_note;
`,
    },
    {
      name: 'rehearsal-constraint-and-table',
      up: (schema) => `
ALTER TABLE ${schema}.jobs ADD CONSTRAINT rehearsal_weight_check CHECK (rehearsal_weight > 0) NOT VALID;
CREATE TABLE ${schema}.rehearsal_tags (job_id uuid NOT NULL, tag text NOT NULL);
CREATE INDEX rehearsal_tags_idx ON ${schema}.rehearsal_tags (job_id);
`,
      down: (schema) => `
DROP TABLE ${schema}.rehearsal_tags;
ALTER TABLE ${schema}.jobs DROP CONSTRAINT rehearsal_weight_check;
`,
    },
    {
      name: 'rehearsal-index',
      up: (schema) => `
CREATE INDEX rehearsal_note_idx ON ${schema}.jobs (rehearsal_note) WHERE rehearsal_note IS NOT NULL;
ALTER TABLE ${schema}.dead_letter_jobs ADD COLUMN rehearsal_note text;
`,
      down: (schema) => `
ALTER TABLE ${schema}.dead_letter_jobs DROP COLUMN rehearsal_note;
DROP INDEX ${schema}.rehearsal_note_idx;
`,
    },
  ]
  return steps.map((step, index) => ({ ...step, version: codeVersion + index + 1, minCode: codeVersion }))
}

/** The queue's own steps, and those of the release to come. */
export function nextRelease(): {
  readonly migrator: Migrator
  readonly version: number
} {
  const steps = [...queueLineage.steps, ...nextSteps(queueLineage.steps.length)]
  return { migrator: createMigrator({ ...queueLineage, steps }, queueAccess), version: steps.length }
}
