/** @file Names in Python: what may be one, and the names that are taken already. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Names that PyTorch's generated functions use themselves. An input of such a name breaks them. */
export const GENERATED_NAMES: ReadonlySet<string> = /* @__PURE__ */ words(
  "self torch fx_pytree pytree __debug__",
);

/**
 * Names of literals and functions that appear in generated functions where a program needs them.
 */
export const LITERAL_NAMES: ReadonlySet<string> = /* @__PURE__ */ words(
  "device inf nan NoneType getattr slice complex",
);

/** Attributes that every `torch.nn.Module` has: no parameter or module can be registered as one. */
export const MODULE_ATTRIBUTES: ReadonlySet<string> = /* @__PURE__ */ words(`
  T_destination __annotate_func__ __call__ __class__ __delattr__ __dict__ __dir__ __doc__ __eq__
  __firstlineno__ __format__ __ge__ __getattr__ __getattribute__ __getstate__ __gt__ __hash__ __init__
  __init_subclass__ __le__ __lt__ __module__ __ne__ __new__ __reduce__ __reduce_ex__ __repr__ __setattr__
  __setstate__ __sizeof__ __static_attributes__ __str__ __subclasshook__ __weakref__ _apply _backward_hooks
  _backward_pre_hooks _buffers _call_impl _compiled_call_impl _forward_hooks _forward_hooks_always_called
  _forward_hooks_with_kwargs _forward_pre_hooks _forward_pre_hooks_with_kwargs _get_backward_hooks
  _get_backward_pre_hooks _get_name _is_full_backward_hook _load_from_state_dict
  _load_state_dict_post_hooks _load_state_dict_pre_hooks _maybe_warn_non_full_backward_hook _modules
  _named_members _non_persistent_buffers_set _parameters _register_load_state_dict_pre_hook
  _register_state_dict_hook _replicate_for_data_parallel _save_to_state_dict _slow_forward
  _state_dict_hooks _state_dict_pre_hooks _version _wrapped_call_impl add_module apply bfloat16 buffers
  call_super_init children compile cpu cuda double dump_patches eval extra_repr float forward get_buffer
  get_extra_state get_parameter get_submodule half ipu load_state_dict modules mtia named_buffers
  named_children named_modules named_parameters parameters register_backward_hook register_buffer
  register_forward_hook register_forward_pre_hook register_full_backward_hook
  register_full_backward_pre_hook register_load_state_dict_post_hook register_load_state_dict_pre_hook
  register_module register_parameter register_state_dict_post_hook register_state_dict_pre_hook
  requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu
  zero_grad`);

/**
 * Attributes that a `torch.fx.GraphModule` and the modules of programs have besides: no nested
 * graph can be registered as one.
 */
export const GRAPH_MODULE_ATTRIBUTES: ReadonlySet<string> = /* @__PURE__ */ words(`
  __copy__ __deepcopy__ __jit_unused_properties__ __reduce_package__ _boxed_call _code
  _create_node_hooks _deepcopy_hooks _deepcopy_init _erase_node_hooks _graph _guards_fn _in_spec
  _lineno_map _out_spec _prologue_start _recompile_submodules _register_create_node_hook
  _register_deepcopy_hook _register_erase_node_hook _register_replace_node_hook _replace_hooks
  _set_replace_hook _tracer_cls _tracer_extras _unregister_create_node_hook
  _unregister_deepcopy_hook _unregister_erase_node_hook _unregister_replace_node_hook _wrapped_call
  add_submodule code delete_all_unused_submodules delete_submodule graph meta print_readable
  range_constraints recompile shape_env to_folder validate_inputs`);

const ASCII = /^[A-Za-z_]\w*$/;
const UNICODE = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;

/** Returns whether a text is an identifier of ASCII letters, as PyTorch names values of graphs. */
export const isAsciiIdentifier = (text: string): boolean => ASCII.test(text);

/** Returns whether Python reads a text as one name: `str.isidentifier()`, keywords included. */
export const isIdentifier = (text: string): boolean => UNICODE.test(text);

/**
 * Returns whether Python keeps a name as it is written. In sources it brings names to the form
 * NFKC: a name of another form is then one of something else.
 */
export const isNormal = (text: string): boolean => !MARKS.test(text) && text.normalize("NFKC") === text;

/** To normalize a run of marks takes quadratic time; Unicode's own limit is 30. */
const MARKS = /\p{M}{31}/u;

/** Returns whether a name is one of Python's own, `__class__`. */
export const isDunder = (text: string): boolean => text.startsWith("__") && text.endsWith("__");

/** Returns the nearest name that PyTorch would give to a value (`torch.fx.graph._Namespace`). */
export function asciiName(text: string): string {
  const name = text.replace(/[^0-9a-zA-Z_]+/g, "_") || "_unnamed";
  return /^\d/.test(name) ? `_${name}` : name;
}
