import { readVersion } from '@queue/service'
import { workerConfig } from './config.ts'

/** The name, version, help and settings of this program. */
export const program = {
  name: 'queue-worker',
  version: readVersion(new URL('../package.json', import.meta.url)),
  description: [
    'Runs jobs of the built-in kinds (send_email, resize_image, summarize_text, webhook_delivery). With EXECUTOR=simulated',
    'it only simulates them: it waits, sometimes fails, and sends nothing. For kinds of your own, write a main file with',
    "createWorker from '@queue/worker' and your handlers; the README.md of this program has an example.",
  ].join('\n'),
  config: workerConfig,
}
