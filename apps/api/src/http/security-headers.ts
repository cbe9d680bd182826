import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * The headers of helmet, with three differences from its defaults: nothing is loaded from other hosts; requests are not upgraded
 * to HTTPS, which a plain HTTP server behind a proxy could not serve; and HSTS applies to this host only, not to its subdomains.
 */
export function securityHeaders(): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        fontSrc: ["'self'", 'data:'],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        scriptSrc: ["'self'"],
        scriptSrcAttr: ["'none'"],
        // Swagger UI uses inline styles.
        styleSrc: ["'self'", "'unsafe-inline'"],
      },
    },
    strictTransportSecurity: { includeSubDomains: false },
    xFrameOptions: { action: 'deny' },
  })
}
