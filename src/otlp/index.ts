/**
 * Traces of runs for a collector of OpenTelemetry.
 *
 * @module
 */

export { otlp, type OtlpOptions } from "./otlp.ts";
