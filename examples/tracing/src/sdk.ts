import { context, trace } from '@opentelemetry/api'
import { NodeTracerProvider, SimpleSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-node'

/**
 * Registers an SDK for this process. In a deployment, put this in your own file that `--import` loads first, with a batching
 * processor and the exporter of your tracing system. The queue needs no configuration for it.
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
