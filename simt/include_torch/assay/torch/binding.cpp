// The part of binding.hpp that knows Python and torch's own Python objects. Compiled once for an
// installation of torch, from its headers, and linked into every extension.
#include <memory>

#include <assay/torch/binding.hpp>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/python_headers.h>
#include <torch/csrc/utils/object_ptr.h>

namespace assay::torch_binding {
namespace {

constexpr const char* kCapsule = "assay.overloads";

/// What def() gave for one name.
struct Overloads {
  std::string name;
  std::string description;
  std::vector<Overload> all;
  PyMethodDef method{};
};

void destroy(PyObject* capsule) {
  delete static_cast<Overloads*>(PyCapsule_GetPointer(capsule, kCapsule));
}

PyObject* does_not_fit(const Overloads& overloads, PyObject* arguments) {
  std::string given;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(arguments); ++i) {
    given += (i == 0 ? "" : ", ");
    given += Py_TYPE(PyTuple_GET_ITEM(arguments, i))->tp_name;
  }
  PyErr_Format(PyExc_TypeError, "%s(): incompatible function arguments. Invoked with types: (%s)",
               overloads.name.c_str(), given.c_str());
  return nullptr;
}

PyObject* dispatch(PyObject* capsule, PyObject* arguments) {
  HANDLE_TH_ERRORS
  const auto& overloads = *static_cast<Overloads*>(PyCapsule_GetPointer(capsule, kCapsule));
  const auto count = static_cast<std::size_t>(PyTuple_GET_SIZE(arguments));
  PyObject* const* items = &PyTuple_GET_ITEM(arguments, 0);
  for (const bool convert : {false, true}) {
    for (const Overload& overload : overloads.all) {
      if (overload.arity != count) continue;
      PyObject* const result = overload.call(overload.function, items, convert);
      if (result != nullptr || PyErr_Occurred() != nullptr) return result;
    }
  }
  return does_not_fit(overloads, arguments);
  END_HANDLE_TH_ERRORS
}

/// An int, for what pybind11 takes for one: never a float.
PyObject* as_integer(PyObject* given, bool convert) {
  if (PyFloat_Check(given)) return nullptr;
  if (PyLong_Check(given)) return Py_NewRef(given);
  PyObject* made = nullptr;
  if (PyIndex_Check(given)) {
    made = PyNumber_Index(given);
  } else if (convert && PyNumber_Check(given)) {
    made = PyNumber_Long(given);
  }
  if (made == nullptr) PyErr_Clear();
  return made;
}

}  // namespace

bool read(Object given, bool, at::Tensor& value) {
  if (!THPVariable_Check(given)) return false;
  value = THPVariable_Unpack(given);
  return true;
}

bool read(Object given, bool convert, bool& value) {
  if (given == Py_True || given == Py_False) {
    value = given == Py_True;
    return true;
  }
  if (given == Py_None && convert) {
    value = false;
    return true;
  }
  const auto* numbers = Py_TYPE(given)->tp_as_number;
  const bool numpy = std::string_view(Py_TYPE(given)->tp_name).starts_with("numpy.bool");
  if (!(convert || numpy) || numbers == nullptr || numbers->nb_bool == nullptr) return false;
  const int truth = numbers->nb_bool(given);
  if (truth < 0) PyErr_Clear();
  value = truth == 1;
  return truth >= 0;
}

bool read(Object given, bool convert, double& value) {
  if (!convert && !PyFloat_Check(given)) return false;
  value = PyFloat_AsDouble(given);
  if (value != -1.0 || PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  if (!convert || !PyNumber_Check(given)) return false;
  PyObject* const number = PyNumber_Float(given);
  PyErr_Clear();
  if (number == nullptr) return false;
  value = PyFloat_AS_DOUBLE(number);
  Py_DECREF(number);
  return true;
}

bool read(Object given, bool convert, std::int64_t& value) {
  PyObject* const number = as_integer(given, convert);
  if (number == nullptr) return false;
  value = PyLong_AsLongLong(number);
  Py_DECREF(number);
  if (value != -1 || PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return false;
}

bool read(Object given, bool convert, std::uint64_t& value) {
  PyObject* const number = as_integer(given, convert);
  if (number == nullptr) return false;
  value = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  if (value != ~std::uint64_t{0} || PyErr_Occurred() == nullptr) return true;
  PyErr_Clear();
  return false;
}

bool read(Object given, bool, std::string& value) {
  if (PyBytes_Check(given)) {
    value.assign(PyBytes_AS_STRING(given), static_cast<std::size_t>(PyBytes_GET_SIZE(given)));
    return true;
  }
  if (!PyUnicode_Check(given)) return false;
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(given, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  value.assign(text, static_cast<std::size_t>(size));
  return true;
}

Object write(const at::Tensor& value) {
  return THPVariable_Wrap(value);
}
Object write(bool value) {
  return PyBool_FromLong(value ? 1 : 0);
}
Object write(double value) {
  return PyFloat_FromDouble(value);
}
Object write(std::int64_t value) {
  return PyLong_FromLongLong(value);
}
Object write(std::uint64_t value) {
  return PyLong_FromUnsignedLongLong(value);
}
Object write(const std::string& value) {
  return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), nullptr);
}
Object none() {
  return Py_NewRef(Py_None);
}

Object list_of(Object* items, std::size_t count) {
  PyObject* const list = PyList_New(static_cast<Py_ssize_t>(count));
  bool whole = list != nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    whole = whole && items[i] != nullptr;
    if (list != nullptr) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), items[i]);
  }
  if (whole) return list;
  Py_XDECREF(list);
  return nullptr;
}

Object tuple_of(Object* items, std::size_t count) {
  PyObject* const list = list_of(items, count);
  if (list == nullptr) return nullptr;
  PyObject* const tuple = PyList_AsTuple(list);
  Py_DECREF(list);
  return tuple;
}

bool is_none(Object given) {
  return given == Py_None;
}

std::optional<std::vector<Object>> items_of(Object given) {
  if (!PySequence_Check(given) || PyUnicode_Check(given) || PyBytes_Check(given)) {
    return std::nullopt;
  }
  const Py_ssize_t count = PySequence_Size(given);
  std::vector<Object> items;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const item = PySequence_GetItem(given, i);
    if (item == nullptr) break;
    items.push_back(item);
  }
  if (PyErr_Occurred() == nullptr) return items;
  PyErr_Clear();
  for (PyObject* item : items) Py_DECREF(item);
  return std::nullopt;
}

void release(Object reference) {
  Py_DECREF(reference);
}

void Module::add(const char* name, const char* description, const Overload& overload) {
  if (PyObject* const known = PyDict_GetItemString(PyModule_GetDict(module_), name)) {
    auto* const overloads = PyCFunction_Check(known)
                                ? PyCapsule_GetPointer(PyCFunction_GetSelf(known), kCapsule)
                                : nullptr;
    if (overloads == nullptr) throw std::runtime_error(std::string(name) + " is defined already");
    static_cast<Overloads*>(overloads)->all.push_back(overload);
    return;
  }
  auto made = std::make_unique<Overloads>();
  *made = {.name = name, .description = description, .all = {overload}};
  made->method = {made->name.c_str(), dispatch, METH_VARARGS, made->description.c_str()};
  PyMethodDef* const method = &made->method;
  THPObjectPtr capsule(PyCapsule_New(made.get(), kCapsule, destroy));
  if (!capsule) throw python_error();
  static_cast<void>(made.release());  // the capsule's from now on
  THPObjectPtr module_name(PyModule_GetNameObject(module_));
  THPObjectPtr function(PyCFunction_NewEx(method, capsule, module_name));
  if (!function || PyModule_AddObjectRef(module_, name, function) != 0) throw python_error();
}

Object make_module(const char* name, void (*fill)(Module&)) {
  HANDLE_TH_ERRORS
  static PyModuleDef definition{};
  definition.m_base = PyModuleDef_HEAD_INIT;
  definition.m_name = name;
  definition.m_size = -1;
  THPObjectPtr object(PyModule_Create(&definition));
  if (!object) return nullptr;
  Module module(object);
  fill(module);
  return object.release();
  END_HANDLE_TH_ERRORS
}

}  // namespace assay::torch_binding
