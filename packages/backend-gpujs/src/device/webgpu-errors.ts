import { SconceError } from "@sconce/errors";

/** Returns the error for a machine without a WebGPU device. */
export const noWebgpu = (message: string, fix: string, cause?: unknown): SconceError =>
  new SconceError({ code: "NO_WEBGPU", message: `no WebGPU device: ${message}`, fix, cause });

/** Returns the error when the device is gone: driver reset, crash, or taken away. */
export const deviceLost = (message: string, device = "WebGPU device"): SconceError =>
  new SconceError({
    code: "DEVICE_LOST",
    message: `the ${device} was lost: ${message}`,
    fix: "open the device and compile the program again",
  });

/** Returns the error for a request that the device refused. */
export const deviceRefused = (message: string, where?: string, device = "WebGPU device"): SconceError =>
  new SconceError({
    code: "DEVICE_REFUSED",
    message: `the ${device} rejected the request: ${message.split("\n")[0]}`,
    where,
    fix: "use smaller sizes, or another mode of the backend",
  });

/** Returns the error for a value that device memory cannot hold. */
export const valueRange = (value: bigint | number, limit: string): SconceError =>
  new SconceError({
    code: "VALUE_RANGE",
    message: `the device cannot compute with the integer ${value}: ${limit}`,
    fix: 'run on the "cpu" backend, or give smaller integers',
  });

/**
 * Returns the error for a tensor or nest that this device cannot take; code that asks
 * {@link Device.whyNot} before does not meet it.
 */
export const notOnDevice = (message: string): SconceError =>
  new SconceError({
    code: "NOT_ON_DEVICE",
    message: `not on this device: ${message}`,
    fix: "let the partition pass leave it to the interpreter",
  });
