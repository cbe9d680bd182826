import { runMain } from '@queue/service'
import { program } from './program.ts'
import { serveApi } from './serve-api.ts'

await runMain(program, (context) => serveApi(context))
