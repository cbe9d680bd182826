import { runMain } from '@queue/service'
import { doJobs } from './do-jobs.ts'
import { program } from './program.ts'
import { simulate } from './simulate.ts'

await runMain(program, (context) =>
  context.config.EXECUTOR === 'real' ? doJobs(context) : simulate(context),
)
