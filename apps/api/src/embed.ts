/** The API as part of another program, such as one with its own catalogue, or a benchmark. */
export { type AppOptions, createApp } from './app.ts'
export { createHttpServer } from './http/server.ts'
export { program } from './program.ts'
export { serveApi, type ServeApiOptions } from './serve-api.ts'
export type { ApiQueue } from './services.ts'
