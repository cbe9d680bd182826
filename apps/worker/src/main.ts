import { runMain } from '@queue/service'
import { program } from './program.ts'
import { simulate } from './simulate.ts'

await runMain(program, simulate)
