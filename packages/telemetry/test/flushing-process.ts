import { createLogger, flushLogger } from '../src/index.ts'

// Logs as many lines as its argument says, flushes, and exits at once.
const logger = createLogger({ service: 'flushing', level: 'info', format: 'json' })
for (let line = 0; line < Number(process.argv[2]); line += 1) logger.info('line', { line })
await flushLogger(logger)
process.exit(0)
