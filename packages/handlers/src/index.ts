/** Real handlers for the built-in kinds. Their settings alone are in `@queue/handlers/settings`, which loads no handler. */
export { type BuiltInHandlers, createHandlers, type HandlersOptions } from './create-handlers.ts'
