import { client } from '../api/client.ts'
import { shortId } from '../ui/format.ts'
import type { Act, Mutation } from './act.ts'
import type { ActCode } from './code.ts'
import { cancelAct } from './job-acts.ts'

export function pauseSchedule(name: string): Mutation {
  return {
    doing: `Pausing schedule ${name}`,
    run: async () => {
      await client.pauseSchedule(name)
      return { text: `Schedule ${name} paused.`, undo: resumeSchedule(name), code: codeOf(name, 'pause') }
    },
  }
}

export function resumeSchedule(name: string): Mutation {
  return {
    doing: `Resuming schedule ${name}`,
    run: async () => {
      await client.resumeSchedule(name)
      return { text: `Schedule ${name} resumed.`, undo: pauseSchedule(name), code: codeOf(name, 'resume') }
    },
  }
}

function codeOf(name: string, verb: 'pause' | 'resume'): ActCode {
  const path = `/schedules/${encodeURIComponent(name)}/${verb}`
  return { method: 'POST', path, typescript: `await client.${verb}Schedule(${JSON.stringify(name)})` }
}

export function runNowAct(name: string): Act {
  return {
    title: `Run ${name} now?`,
    effect: 'Enqueues one job now. The next scheduled run does not change.',
    confirm: 'Run now',
    code: {
      method: 'POST',
      path: `/schedules/${encodeURIComponent(name)}/run-now`,
      typescript: `await client.runScheduleNow(${JSON.stringify(name)})`,
    },
    doing: `Running schedule ${name}`,
    run: async () => {
      const job = await client.runScheduleNow(name)
      return { text: `Job …${shortId(job.id)} enqueued.`, undo: cancelAct([job]) }
    },
  }
}

/** `leave` navigates away from the page of the schedule, which would fetch the deleted schedule again. */
export function deleteScheduleAct(name: string, leave: () => Promise<void>): Act {
  return {
    title: `Delete the schedule ${name}?`,
    effect: 'The schedule no longer fires. Its jobs are kept. This cannot be undone.',
    confirm: 'Delete schedule',
    dismiss: 'Keep schedule',
    dangerous: true,
    code: {
      method: 'DELETE',
      path: `/schedules/${encodeURIComponent(name)}`,
      typescript: `await client.deleteSchedule(${JSON.stringify(name)})`,
    },
    doing: `Deleting schedule ${name}`,
    run: async () => {
      await leave()
      await client.deleteSchedule(name)
      return { text: `Schedule ${name} deleted.` }
    },
  }
}
