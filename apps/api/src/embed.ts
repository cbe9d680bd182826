/** The API as a part of another program: one with a catalogue of its own, or a measurement. */
export { type AppOptions, createApp } from './app.ts'
export { createHttpServer } from './http/server.ts'
export { program } from './program.ts'
export { serveApi, type ServeApiOptions } from './serve-api.ts'
export type { ApiQueue } from './services.ts'
