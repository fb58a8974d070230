#include "autocast.h"

#include <algorithm>
#include <array>

namespace rushlight {
namespace {

// By name without overload; sorted. From PyTorch's registrations for the key AutocastCPU.
constexpr auto kLowerPrecision = std::to_array<std::string_view>({"_addmm_activation",
                                                                  "_convolution",
                                                                  "_native_multi_head_attention",
                                                                  "addbmm",
                                                                  "addmm",
                                                                  "baddbmm",
                                                                  "bmm",
                                                                  "conv1d",
                                                                  "conv2d",
                                                                  "conv3d",
                                                                  "conv_tbc",
                                                                  "conv_transpose1d",
                                                                  "conv_transpose2d",
                                                                  "conv_transpose3d",
                                                                  "linalg_vecdot",
                                                                  "linear",
                                                                  "matmul",
                                                                  "mm",
                                                                  "prelu",
                                                                  "scaled_dot_product_attention"});

constexpr auto kFloat32 = std::to_array<std::string_view>({"_lu_with_info",
                                                           "adaptive_avg_pool3d",
                                                           "adaptive_max_pool3d",
                                                           "avg_pool3d",
                                                           "binary_cross_entropy",
                                                           "binary_cross_entropy_with_logits",
                                                           "cdist",
                                                           "cholesky",
                                                           "cholesky_inverse",
                                                           "cholesky_solve",
                                                           "cosine_embedding_loss",
                                                           "cross_entropy_loss",
                                                           "ctc_loss",
                                                           "fake_quantize_per_tensor_affine",
                                                           "fft_fft",
                                                           "fft_fft2",
                                                           "fft_fftn",
                                                           "fft_hfft",
                                                           "fft_ifft",
                                                           "fft_ifft2",
                                                           "fft_ifftn",
                                                           "fft_ihfft",
                                                           "fft_irfft",
                                                           "fft_irfft2",
                                                           "fft_irfftn",
                                                           "fft_rfft",
                                                           "fft_rfft2",
                                                           "fft_rfftn",
                                                           "fractional_max_pool2d",
                                                           "fractional_max_pool3d",
                                                           "geqrf",
                                                           "grid_sampler",
                                                           "hinge_embedding_loss",
                                                           "huber_loss",
                                                           "inverse",
                                                           "kl_div",
                                                           "l1_loss",
                                                           "linalg_cholesky",
                                                           "linalg_cholesky_ex",
                                                           "linalg_cond",
                                                           "linalg_eig",
                                                           "linalg_eigh",
                                                           "linalg_eigvals",
                                                           "linalg_eigvalsh",
                                                           "linalg_householder_product",
                                                           "linalg_inv",
                                                           "linalg_inv_ex",
                                                           "linalg_lstsq",
                                                           "linalg_matrix_rank",
                                                           "linalg_qr",
                                                           "linalg_solve",
                                                           "linalg_svd",
                                                           "linalg_svdvals",
                                                           "linalg_tensorinv",
                                                           "linalg_tensorsolve",
                                                           "lu_solve",
                                                           "margin_ranking_loss",
                                                           "max_pool3d",
                                                           "max_unpool2d",
                                                           "max_unpool3d",
                                                           "mse_loss",
                                                           "multi_margin_loss",
                                                           "multilabel_margin_loss",
                                                           "multilabel_margin_loss_forward",
                                                           "nanquantile",
                                                           "nll_loss",
                                                           "nll_loss2d",
                                                           "orgqr",
                                                           "ormqr",
                                                           "pinverse",
                                                           "poisson_nll_loss",
                                                           "polar",
                                                           "prod",
                                                           "qr",
                                                           "quantile",
                                                           "reflection_pad1d",
                                                           "reflection_pad2d",
                                                           "replication_pad1d",
                                                           "replication_pad2d",
                                                           "replication_pad3d",
                                                           "smooth_l1_loss",
                                                           "soft_margin_loss",
                                                           "stft",
                                                           "svd",
                                                           "trace",
                                                           "triangular_solve",
                                                           "triplet_margin_loss",
                                                           "view_as_complex"});

constexpr auto kWidest = std::to_array<std::string_view>({"cat", "index_copy", "stack"});

static_assert(std::ranges::is_sorted(kLowerPrecision) && std::ranges::is_sorted(kFloat32));

}  // namespace

std::optional<DType> autocast_dtype(const Autocast& state, std::string_view target, DType widest) {
  constexpr std::string_view prefix = "aten.";
  if (!state.enabled || !target.starts_with(prefix)) return std::nullopt;
  target.remove_prefix(prefix.size());
  const std::string_view name = target.substr(0, target.find('.'));
  if (std::ranges::binary_search(kLowerPrecision, name)) return state.dtype;
  if (std::ranges::binary_search(kFloat32, name)) return DType::Float32;
  if (std::ranges::binary_search(kWidest, name)) return widest;
  return std::nullopt;
}

}  // namespace rushlight
