import { runMain } from '@queue/service'
import { program } from './program.ts'
import { runWorker } from './run-worker.ts'

await runMain(program, runWorker)
