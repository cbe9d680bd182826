export { builtInJobs } from './domain/built-in-jobs.ts'
