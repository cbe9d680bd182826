import { readVersion } from '@queue/service'
import { workerConfig } from './config.ts'

/** How this process presents itself: `--help`, `--version`, the name in its log lines. */
export const program = {
  name: 'queue-worker',
  version: readVersion(new URL('../package.json', import.meta.url)),
  description: [
    'Takes jobs of the built-in kinds (send_email, resize_image, summarize_text, webhook_delivery) and SIMULATES their',
    'work: it waits, fails now and then, and sends nothing to anyone. For real work, write a main file of your own with',
    "createWorker and your handlers, from '@queue/worker'; README.md beside this program has one to start from.",
  ].join('\n'),
  config: workerConfig,
}
