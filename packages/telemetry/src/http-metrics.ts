import { Histogram } from 'prom-client'
import {
  assertRegistry,
  createBoundedLabel,
  durationBucketsSeconds,
  type MetricsRegistry,
  otherLabel,
} from './metrics-registry.ts'

export interface HttpRequestObservation {
  readonly method: string
  /** The pattern of the route (`/jobs/{id}`), never the path itself. */
  readonly route: string
  /** The status code that was sent. */
  readonly status: number
  readonly seconds: number
}

export interface HttpMetrics {
  requestFinished(request: HttpRequestObservation): void
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** `http_request_duration_seconds{method,route,status}`. Unknown methods and status codes share one label value. */
export function createHttpMetrics(registry: MetricsRegistry): HttpMetrics {
  assertRegistry('createHttpMetrics', registry)
  const boundRoute = createBoundedLabel()
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [...durationBucketsSeconds],
    registers: [registry],
  })
  return {
    requestFinished({ method, route, status, seconds }) {
      const labels = {
        method: methods.has(method) ? method : otherLabel,
        route: boundRoute(route),
        status: Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : otherLabel,
      }
      duration.observe(labels, seconds)
    },
  }
}
