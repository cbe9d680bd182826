import { client } from '../api/client.ts'
import { serverNow } from '../shell/clock.ts'
import type { Mutation } from './act.ts'
import type { ActCode } from './code.ts'

export function pauseQueue(name: string): Mutation {
  const at = serverNow()
  return {
    doing: `Pausing queue ${name}`,
    expects: [{ of: 'queue', id: name, change: (queue) => ({ ...queue, paused_at: at }) }],
    run: async () => {
      await client.pause(name)
      return {
        text: `Queue ${name} paused. No further jobs start.`,
        undo: resumeQueue(name),
        code: codeOf(name, 'pause'),
      }
    },
  }
}

export function resumeQueue(name: string): Mutation {
  return {
    doing: `Resuming queue ${name}`,
    expects: [{ of: 'queue', id: name, change: (queue) => ({ ...queue, paused_at: null }) }],
    run: async () => {
      await client.resume(name)
      return { text: `Queue ${name} resumed.`, undo: pauseQueue(name), code: codeOf(name, 'resume') }
    },
  }
}

function codeOf(name: string, verb: 'pause' | 'resume'): ActCode {
  const path = `/queues/${encodeURIComponent(name)}/${verb}`
  return { method: 'POST', path, typescript: `await client.${verb}(${JSON.stringify(name)})` }
}
