#include <fmt/format.h>

#include "experiments/drivers/commands/tokenize.h"
#include "experiments/drivers/engines_loader.h"

namespace speclab::experiments {

int run_models(const ModelsOptions& options) {
  const auto engines = open_engines();
  if (options.inspect.empty()) {
    for (const engines::KnownModel& model : engines->known_models())
      fmt::print("{:<20} {}\n", model.name, model.description);
    return 0;
  }
  engines::ModelOptions model_options = options.common.model;
  model_options.model = options.inspect;
  const engines::LoadedModel loaded = engines->load_model(model_options);
  const engines::ModelInfo& info = loaded.model->info();
  fmt::print(
      "name              {}\nfamily            {}\nparameters        {}\nlayers            "
      "{}\nhidden_size       {}\nvocab_size        {}\n"
      "context_length    {}\ndtype             {}\ndevice            {}\nkernels           "
      "{}\nweight_bytes      {}\nsha256            {}\ntokenizer         {}\n",
      info.name, info.family, info.num_parameters, info.num_layers, info.hidden_size,
      info.vocab_size, info.context_length, info.dtype, info.device, info.kernels,
      info.weight_bytes, info.sha256, loaded.tokenizer ? "yes" : "no");
  return 0;
}

}  // namespace speclab::experiments
