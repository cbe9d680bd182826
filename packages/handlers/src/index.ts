/** Real handlers for the built-in kinds. `@queue/handlers/settings` has only their settings, and loads no handler. */
export { type BuiltInHandlers, createHandlers, type HandlersOptions } from './create-handlers.ts'
