/**
 * The module that a deployed process loads first: `NODE_OPTIONS=--import=/path/to/register.mjs node apps/api/dist/main.js`. This
 * one prints spans. Yours sends them to your tracing system.
 */
import { ConsoleSpanExporter } from '@opentelemetry/sdk-trace-node'
import { registerSdk } from './sdk.ts'

registerSdk(new ConsoleSpanExporter())
