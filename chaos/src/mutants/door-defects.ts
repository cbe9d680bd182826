import { enqueueName } from './function-texts.ts'
import type { Mutation } from './mutation.ts'
import type { SourceDefect } from './source-defect.ts'

/** A defect of the API, and the fault by which the scenario must detect it. */
interface DoorDefect extends SourceDefect {
  readonly fault: RegExp
}

/** One defect for each law that the API can break. All are planted in the same processes. */
export const doorDefects: readonly DoorDefect[] = [
  {
    name: 'an unknown member of a job is ignored',
    edits: [
      {
        module: 'packages/core/src/domain/job-document.ts',
        find: '.strictObject({\n    kind: jobFields.kind',
        replace: '.object({\n    kind: jobFields.kind',
      },
    ],
    fault: /^(api|batch) .* has taken \w+ of/,
  },
  {
    name: 'the API drops an option',
    edits: [
      {
        module: 'packages/core/src/domain/option-members.ts',
        find: 'if (value !== undefined) options[name]',
        replace: "if (value !== undefined && name !== 'weight') options[name]",
      },
    ],
    fault: /^(the library|the API) shows of the job of (api|batch) .*: weight is/,
  },
  {
    name: 'a duplicate is not like its job',
    edits: [
      {
        module: 'packages/core/src/acts/duplicate-job.ts',
        find: "  'trace_context',\n]",
        replace: "  'trace_context',\n  'retry_policy',\n]",
      },
    ],
    fault: /^after a duplicate of the job of .*: retry_policy is/,
  },
]

export const allDoorDefects: SourceDefect = {
  name: 'every defect of the ways to enqueue',
  edits: doorDefects.flatMap(({ edits }) => edits),
}

/** Defects of the function that enqueues in SQL. */
export const doorMutations = {
  forgetsDefaults: {
    name: 'a job of SQL has no weight of its kind',
    edits: [
      {
        within: enqueueName,
        find: "coalesce(enqueue.weight, (kind_defaults ->> 'weight')::integer, 1)",
        replace: 'coalesce(enqueue.weight, 1)',
      },
    ],
    detectedBy: 'wrong answer',
  },
} as const satisfies Record<string, Mutation>
