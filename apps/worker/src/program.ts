import { readVersion } from '@queue/service'
import { workerConfig } from './config.ts'

/** How this process presents itself: `--help`, `--version`, the name in its log lines. */
export const program = {
  name: 'queue-worker',
  version: readVersion(new URL('../package.json', import.meta.url)),
  description: [
    'Does jobs of the built-in kinds (send_email, resize_image, summarize_text, webhook_delivery), or, with',
    'EXECUTOR=simulated, only pretends to: it waits, fails now and then, and sends nothing to anyone. For kinds of your own,',
    "write a main file with createWorker and your handlers, from '@queue/worker'; README.md beside this program has one.",
  ].join('\n'),
  config: workerConfig,
}
