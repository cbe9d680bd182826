import { Problem } from '../http/problem.ts'

export function jobNotFound(): Problem {
  return new Problem('job_not_found', { detail: 'there is no job with this id, or it was pruned' })
}
