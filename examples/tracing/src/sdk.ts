import { context, trace } from '@opentelemetry/api'
import { NodeTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-node'

/**
 * Registers an SDK for this process. In a deployed process this stands in a file of yours that `--import` loads first,
 * with a batching processor and the exporter of your tracing system; the queue needs to know nothing of it.
 */
export function registerSdk(exporter: SpanExporter): { readonly shutdown: () => Promise<void> } {
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  return {
    shutdown: async () => {
      await provider.shutdown()
      trace.disable()
      context.disable()
    },
  }
}
